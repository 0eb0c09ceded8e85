//! What the cases have in common.
#![allow(dead_code, unused_imports, reason = "no case uses all of it")]

pub use resil::adapter;

#[derive(Debug, resil::Classify)]
pub enum Failed {
    #[class(transient)]
    Unreachable,
    #[class(policy)]
    Policy(resil::PolicyError),
}

impl From<resil::PolicyError> for Failed {
    fn from(error: resil::PolicyError) -> Self {
        Self::Policy(error)
    }
}

pub trait Port {
    fn get(&self) -> impl Future<Output = Result<u8, Failed>>;
}

pub trait Two {
    fn get(&self) -> impl Future<Output = Result<u8, Failed>>;
    fn put(&self, text: String) -> impl Future<Output = Result<u8, Failed>>;
}

#[derive(Clone, Debug)]
pub struct Http;
