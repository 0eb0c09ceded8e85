//! Which modules belong to a layer that has no business with policies.
//!
//! In a hexagonal service the domain and the application say *what* is needed, as ports. How a call that leaves the process is bounded
//! and repeated is said in the infrastructure, where it leaves. `#[adapter]` refuses other places; with these functions code
//! without the attribute can do the same:
//!
//! ```
//! mod infrastructure {
//!     const _: () = assert!(
//!         !resil_runtime::layer::is_forbidden(module_path!(), option_env!("RESIL_FORBIDDEN_LAYERS")),
//!         "policies belong in the infrastructure",
//!     );
//! }
//! ```
//!
//! # The rule
//!
//! The path of the module is read from its end, and its first segment that names a layer decides:
//!
//! | segment | |
//! |---|---|
//! | `domain`, `application` | forbidden |
//! | one that is listed in `RESIL_FORBIDDEN_LAYERS` | forbidden, whatever it is called |
//! | `infrastructure`, `adapters` | allowed |
//! | the crate, where its name ends with `_domain` or `_application` | forbidden |
//!
//! So `billing::domain::infrastructure` is allowed, and `shop::infrastructure::domain` is not. A path without any of them is allowed. Only
//! whole segments count: `domain_events` and `subdomain` are no layers.
//!
//! `RESIL_FORBIDDEN_LAYERS` is a list with commas: `usecases, policies`. It is an environment variable of the compiler, read with
//! `option_env!`, so cargo compiles anew what depends on it once it changes; set it for the whole workspace under `[env]` in
//! `.cargo/config.toml`. Spaces around names, empty names, `r#` and the case of ASCII letters have no meaning, and `-` is read as `_`, so that
//! a package can be listed by its name.

/// Whether the module with this path belongs to a layer that has no business with policies: the [rule](self).
///
/// `module_path` is what `module_path!()` says, `also` the list of further forbidden segments, from
/// `option_env!("RESIL_FORBIDDEN_LAYERS")`. Does not panic, whatever they hold.
///
/// ```
/// use resil_runtime::layer::is_forbidden;
///
/// assert!(is_forbidden("shop::domain::billing", None));
/// assert!(is_forbidden("shop_domain", None));
/// assert!(!is_forbidden("shop::domain::infrastructure", None));
/// assert!(is_forbidden("shop::usecases", Some("usecases, policies")));
/// ```
#[must_use]
pub const fn is_forbidden(module_path: &str, also: Option<&str>) -> bool {
    forbidding(module_path, also).is_some()
}

/// The segment of the path by which [`is_forbidden`] holds; `None` where it does not.
///
/// ```
/// use resil_runtime::layer::forbidding;
///
/// assert_eq!(forbidding("shop::domain::billing", None), Some("domain"));
/// assert_eq!(forbidding("shop_domain::billing", None), Some("shop_domain"));
/// assert_eq!(forbidding("shop::billing", None), None);
/// ```
#[must_use]
pub const fn forbidding<'p>(module_path: &'p str, also: Option<&str>) -> Option<&'p str> {
    let bytes = module_path.as_bytes();
    let mut end = bytes.len();
    loop {
        let start = segment_start(bytes, end);
        let is_crate = start == 0;
        let segment = unraw(part(bytes, start, end));
        if is_listed(segment, also) || is_inner(segment) || (is_crate && ends_as_inner(segment)) {
            return Some(module_path.split_at(end).0.split_at(start).1);
        }
        if is_crate || is_outer(segment) {
            return None;
        }
        // It begins behind a `::`.
        end = start.saturating_sub(2);
    }
}

/// Where the last segment of `bytes[..end]` begins.
const fn segment_start(bytes: &[u8], end: usize) -> usize {
    let mut start = end;
    while start >= 2 && !(bytes[start - 1] == b':' && bytes[start - 2] == b':') {
        start -= 1;
    }
    if start < 2 { 0 } else { start }
}

const fn is_inner(segment: &[u8]) -> bool {
    is(segment, b"domain") || is(segment, b"application")
}

const fn is_outer(segment: &[u8]) -> bool {
    is(segment, b"infrastructure") || is(segment, b"adapters")
}

const fn ends_as_inner(segment: &[u8]) -> bool {
    ends_with(segment, b"_domain") || ends_with(segment, b"_application")
}

/// Whether `segment` is one of the names in `list`.
const fn is_listed(segment: &[u8], list: Option<&str>) -> bool {
    let Some(list) = list else { return false };
    let list = list.as_bytes();
    let (mut start, mut end) = (0, 0);
    while end <= list.len() {
        if end == list.len() || list[end] == b',' {
            let name = unraw(part(list, start, end).trim_ascii());
            if !name.is_empty() && is(segment, name) {
                return true;
            }
            start = end + 1;
        }
        end += 1;
    }
    false
}

/// `bytes[start..end]`, which cannot be written in a constant.
const fn part(bytes: &[u8], start: usize, end: usize) -> &[u8] {
    bytes.split_at(end).0.split_at(start).1
}

const fn unraw(name: &[u8]) -> &[u8] {
    match name {
        [b'r', b'#', rest @ ..] => rest,
        name => name,
    }
}

const fn is(name: &[u8], other: &[u8]) -> bool {
    name.len() == other.len() && ends_with(name, other)
}

const fn ends_with(name: &[u8], end: &[u8]) -> bool {
    if name.len() < end.len() {
        return false;
    }
    let before = name.len() - end.len();
    let mut at = 0;
    while at < end.len() {
        if folded(name[before + at]) != folded(end[at]) {
            return false;
        }
        at += 1;
    }
    true
}

const fn folded(byte: u8) -> u8 {
    if byte == b'-' {
        b'_'
    } else {
        byte.to_ascii_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(rows: &[(&str, Option<&str>)], also: Option<&str>) {
        for (path, wanted) in rows {
            assert_eq!(forbidding(path, also), *wanted, "{path} with {also:?}");
            assert_eq!(is_forbidden(path, also), wanted.is_some(), "{path} with {also:?}");
        }
    }

    #[test]
    fn the_last_layer_segment_decides() {
        holds(
            &[
                ("shop::domain", Some("domain")),
                ("shop::domain::billing::invoices", Some("domain")),
                ("shop::application::send_sms", Some("application")),
                ("shop::infrastructure", None),
                ("shop::adapters::sms", None),
                ("shop::domain::infrastructure", None),
                ("shop::application::adapters::sms::http", None),
                ("shop::infrastructure::domain", Some("domain")),
                ("shop::adapters::application::x", Some("application")),
                ("shop::domain::infrastructure::domain", Some("domain")),
                ("shop::billing", None),
                ("shop", None),
            ],
            None,
        );
    }

    #[test]
    fn the_crate_counts_when_it_is_named_after_a_layer() {
        holds(
            &[
                ("domain", Some("domain")),
                ("application::ports", Some("application")),
                ("shop_domain", Some("shop_domain")),
                ("shop_application::billing", Some("shop_application")),
                ("shop_domain::infrastructure::http", None),
                ("shop_domain::infrastructure::domain", Some("domain")),
                ("shop_infrastructure::domain", Some("domain")),
                ("shop_infrastructure", None),
                ("adapters", None),
                ("shopdomain", None),
                ("domain_shop", None),
                // Only the crate's name may have something before.
                ("shop::billing_domain::http", None),
                ("shop::billing_application", None),
            ],
            None,
        );
    }

    #[test]
    fn only_whole_segments_count() {
        holds(
            &[
                ("shop::domain_events", None),
                ("shop::subdomain", None),
                ("shop::domains", None),
                ("shop::applications", None),
                ("shop::domain::adapters_of_others", Some("domain")),
                ("shop::domain::my_infrastructure", Some("domain")),
            ],
            None,
        );
    }

    #[test]
    fn listed_names_are_layers_too() {
        let also = Some(" usecases ,policies,, r#type,\tcore-rules\n,");
        holds(
            &[
                ("shop::usecases::billing", Some("usecases")),
                ("shop::policies", Some("policies")),
                ("shop::r#type::x", Some("r#type")),
                ("shop::type::x", Some("type")),
                ("core_rules::x", Some("core_rules")),
                ("usecases", Some("usecases")),
                ("shop::usecases::infrastructure", None),
                ("shop::infrastructure::usecases", Some("usecases")),
                // What is not listed with its whole name is not meant.
                ("shop_usecases", None),
                ("shop::usecase", None),
                ("shop::core", None),
                ("shop::domain", Some("domain")),
            ],
            also,
        );
        holds(
            &[
                ("shop::adapters::x", Some("adapters")),
                ("shop::infrastructure", None),
            ],
            Some("adapters"),
        );
        holds(&[("shop", None), ("", None), ("::", None)], Some(""));
        holds(&[("shop", None), ("", None), ("::", None)], Some(" , ,"));
    }

    #[test]
    fn neither_case_nor_rawness_hides_a_layer() {
        holds(
            &[
                ("shop::Domain", Some("Domain")),
                ("shop::r#application::x", Some("r#application")),
                ("Shop_Domain", Some("Shop_Domain")),
                ("shop::domain::Infrastructure", None),
                ("shop::UseCases", Some("UseCases")),
            ],
            Some("USECASES"),
        );
    }

    #[test]
    fn any_text_is_taken() {
        holds(
            &[
                ("", None),
                (":", None),
                ("::", None),
                (":::", None),
                ("::domain", Some("domain")),
                ("domain::", Some("domain")),
                ("übung::domänen::x", None),
                ("shop::domäne::x", Some("domäne")),
                ("r#", None),
            ],
            Some("domäne,ü"),
        );
    }

    #[test]
    fn the_rule_holds_where_constants_are_evaluated() {
        const HERE: bool = is_forbidden(module_path!(), option_env!("RESIL_FORBIDDEN_LAYERS"));
        const THERE: Option<&str> = forbidding("shop::domain", Some("x"));
        assert_eq!((HERE, THERE), (false, Some("domain")));
    }
}
