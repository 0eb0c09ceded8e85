//! The bounded context of an adapter that does not name it.

/// The package that is compiled, or where cargo does not say so the crate: the first segment of the module's path.
#[must_use]
pub const fn context(package: Option<&'static str>, module: &'static str) -> &'static str {
    match package {
        Some(package) => package,
        None => first_segment(module),
    }
}

const fn first_segment(module: &'static str) -> &'static str {
    let bytes = module.as_bytes();
    let mut end = 0;
    while end < bytes.len() && bytes[end] != b':' {
        end += 1;
    }
    module.split_at(end).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_cargo_it_is_the_crate() {
        const IN_CRATE: &str = context(None, "billing::infrastructure::sms");
        assert_eq!(IN_CRATE, "billing");
        assert_eq!(context(None, "billing"), "billing");
        assert_eq!(
            context(Some("billing-service"), "billing::sms"),
            "billing-service"
        );
    }
}
