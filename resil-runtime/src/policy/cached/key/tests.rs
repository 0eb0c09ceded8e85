use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::{Key, Lookup};

fn hash(value: impl std::hash::Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

/// Whether what is kept for `kept` is found by `looked_up`.
fn finds<Q: Lookup<Owned = R::Owned>, R: Lookup + Copy>(looked_up: Q, kept: R) -> bool {
    let owned = Key::of(kept).into_owned();
    let key = Key::of(looked_up);
    assert!(Key::of(kept).is(&owned));
    assert!(!key.is(&"of another type"));
    let found = key.is(&owned);
    assert!(!found || hash(&key) == hash(Key::of(kept)));
    found
}

#[test]
fn arguments_are_compared_one_by_one() {
    assert!(finds(("a:b", "c"), ("a:b", "c")));
    assert!(!finds(("a:b", "c"), ("a", "b:c")));
    assert!(!finds(("ab", "c"), ("a", "bc")));
    assert!(!finds(("a", &1_u64), ("a", &2)));
    assert!(finds((), ()));
}

#[test]
fn an_absent_argument_is_no_value_of_it() {
    assert!(!finds((Some("None"),), (None,)));
    assert!(!finds((Some(""),), (None,)));
    assert!(finds((None::<&str>,), (None,)));
    assert!(finds((Some("a"),), (Some("a"),)));
}

#[test]
fn whatever_is_lent_finds_its_owned_form() {
    let (text, list) = (String::from("a"), vec![1_u8, 2]);
    assert!(finds((&text, &*list), (&text, &*list)));
    assert!(finds((&list, &Some(3)), (&vec![1, 2], &Some(3))));
    let parts = (&0, &1, &2, &3, &4, &5, &6, &7, &8, &9, &10, &11);
    assert!(finds(parts, parts));
    assert!(!finds((&0, &1, &2, &3, &4, &5, &6, &7, &8, &9, &10, &12), parts));
}

#[test]
fn a_key_by_the_authors_function_needs_no_clone() {
    #[derive(Debug, PartialEq, Eq, Hash)]
    struct Own(u8);
    let owned = Key::owned(Own(1)).into_owned();
    assert!(Key::owned(Own(1)).is(&owned));
    assert!(!Key::owned(Own(2)).is(&owned));
    assert_eq!(hash(Key::owned(Own(1))), hash(Key::owned(Own(1))));
}

#[test]
fn nothing_of_the_arguments_is_shown() {
    let key = Key::of(("secret",));
    assert_eq!(
        format!("{key:?} {:?}", key.into_owned()),
        "Key { .. } (Kept { .. },)"
    );
}
