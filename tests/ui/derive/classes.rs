//! Each variant says what it means, in known words.

use std::time::Duration;

#[derive(resil::Classify)]
enum Missing {
    Unreachable,
    #[class(refusal)]
    Refused,
    Busy { wait: Duration },
}

#[derive(resil::Classify)]
enum Wrong {
    #[class(transiet)]
    Misspelt,
    #[class(transient, refusal)]
    Two,
    #[class(transient, retry_after = wiat)]
    Field { wait: Duration },
    #[class(inherit)]
    Which(std::io::Error, u8),
    #[class(policy, code = "x")]
    Policy(resil::PolicyError),
    #[class(transient, code = "")]
    Empty,
}

fn main() {}
