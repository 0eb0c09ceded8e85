use crate::support::*;

pub struct Plain;

#[adapter(kind = "gateway")]
impl Port for Plain {
    async fn get(&self) -> Result<u8, Failed> {
        Ok(1)
    }
}
