//! The attributes and the derive of `resil`. Use them through the crate `resil`.
