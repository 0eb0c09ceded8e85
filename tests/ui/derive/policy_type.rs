//! `#[class(policy)]` is for the variant that carries a `PolicyError`.

#[derive(resil::Classify)]
enum Error {
    #[class(policy)]
    Io(std::io::Error),
    #[class(policy)]
    Boxed(Box<resil::PolicyError>),
}

fn main() {}
