//! An inner error that is asked says what it means.

struct NoClasses;

#[derive(resil::Classify)]
enum Outer {
    #[class(inherit)]
    Of(NoClasses),
}

fn main() {}
