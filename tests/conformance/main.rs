//! What other systems' conformance suites expect, and the kinds of fault that others' users met.

mod support;
