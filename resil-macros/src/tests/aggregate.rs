//! `#[aggregate]` and `#[derive(Aggregate)]`.

use proc_macro2::TokenStream;

use super::{headlines, messages, pretty};

fn tokens(source: &str) -> TokenStream {
    source.parse().expect("the source is Rust")
}

fn attribute(args: &str, item: &str) -> TokenStream {
    crate::aggregate::attribute(tokens(args), tokens(item))
}

fn derive(item: &str) -> TokenStream {
    crate::aggregate::derive(tokens(item))
}

#[test]
fn the_item_stays_and_the_mark_is_added() {
    let item = "/// Kept.\n#[derive(Debug)]\npub struct Order<'a, T: Of = u8, const N: usize = 3>\nwhere\n    T: 'a,\n{\n    pub lines: &'a [T; N],\n}\n";
    let mark = "#[automatically_derived]\nimpl<'a, T: Of, const N: usize> ::resil::Aggregate for Order<'a, T, N>\nwhere\n    T: 'a,\n{}\n";
    assert_eq!(pretty(&attribute("", item)), format!("{item}{mark}"));
    assert_eq!(pretty(&derive(item)), mark);
}

#[test]
fn resil_may_have_another_name() {
    let mark = "#[automatically_derived]\nimpl company::policies::Aggregate for Order {}\n";
    let item = "struct Order;\n";
    assert_eq!(
        pretty(&attribute("crate = company::policies", item)),
        format!("{item}{mark}")
    );
    assert_eq!(
        pretty(&derive(&format!(
            "#[aggregate(crate = company::policies)] {item}"
        ))),
        mark
    );
    assert!(
        pretty(&derive(&format!("#[aggregate] #[serde(default)] {item}"))).contains("::resil::Aggregate")
    );
}

#[test]
fn each_mistake_is_said_once_and_the_item_stays() {
    for (args, item, wanted) in [
        ("crat = x", "struct Order;", "unknown `crat` in `#[aggregate]`"),
        ("crate", "struct Order;", "`crate` takes the path"),
        ("crate = a, crate = b", "struct Order;", "`crate` is given twice"),
        (
            "",
            "#[inline] fn order() {}",
            "`#[aggregate]` marks a struct or an enum",
        ),
        (
            "",
            "type Order = Other;",
            "`#[aggregate]` marks a struct or an enum",
        ),
    ] {
        let output = attribute(args, item);
        assert!(
            output.to_string().starts_with(&tokens(item).to_string()),
            "{output}"
        );
        let said = headlines(output);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with(wanted), "{said:?}");
    }
    let said = messages(derive("#[aggregate(name = 1)] #[aggregate = 2] struct Order;"));
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[0].starts_with("unknown `name` in `#[aggregate]`"),
        "{said:?}"
    );
    assert!(said[1].starts_with("unknown `=` in `#[aggregate]`"), "{said:?}");
}
