//! Inputs that fuzzing found: each was once taken without a word, or came out as what no compiler reads.

use super::{adapter, headlines};

const ONE: &str = "async fn get(&self) -> Result<u8, Failed> { todo!() }";

#[test]
fn a_constant_has_nothing_between_its_type_and_its_value() {
    let said = headlines(adapter(&format!(
        "#[adapter(kind = \"external\")] impl Port for Http {{ const N: u8 & 3; {ONE} }}"
    )));
    assert_eq!(said, ["expected `=`"]);
}

#[test]
fn a_keyword_names_no_constant() {
    let said = headlines(adapter(&format!(
        "#[adapter(kind = \"external\")] impl Port for Http {{ const for: u8 = 3; {ONE} }}"
    )));
    assert_eq!(said, ["expected identifier, found keyword `for`"]);
}

#[test]
fn what_leads_on_from_self_keeps_a_type_without_a_name_together() {
    let output = adapter(&format!(
        "#[adapter(kind = \"external\", wrapper = Named, errors = Map<Self::Item, {{ Self::N }}>)]
        impl Port for &'static Http {{ {ONE} }}"
    ))
    .to_string();
    let map = "Map < < & 'static Http > :: Item , { < & 'static Http > :: N } >";
    assert!(output.contains(map), "{output}");
}

#[test]
fn what_is_implemented_is_a_trait() {
    for ty in ["impl Port", "& Port", "< Port as Of > :: Port"] {
        let said = headlines(adapter(&format!(
            "#[adapter(kind = \"external\")] impl {ty} for Http {{ {ONE} }}"
        )));
        let wanted = "`#[adapter]` belongs on the impl of a port, a trait, found";
        assert_eq!(said, [format!("{wanted} `{ty}`, which is none")]);
    }
}

#[test]
fn self_behind_a_path_is_left_to_the_compiler() {
    let output = adapter(&format!(
        "#[adapter(kind = \"external\", wrapper = Named)] impl a::Self<u8> for &'static Http {{ {ONE} }}"
    ))
    .to_string();
    assert!(output.contains("impl a :: Self < u8 > for Named"), "{output}");
}

#[test]
fn the_map_of_errors_is_one_type() {
    for map in ["dyn Map + Send", "Map<Self = u8>", "Map<<u8 as Self>::Of>"] {
        let said = headlines(adapter(&format!(
            "#[adapter(kind = \"external\", errors = {map})] impl Port for Http {{ {ONE} }}"
        )));
        assert_eq!(said, ["`errors` takes the type with the `ErrorMap`"], "{map}");
    }
}

#[test]
fn the_path_of_the_crate_has_no_generics() {
    for root in ["resil<u8>", "resil::<u8>::x", "Fn() -> u8", "a::"] {
        let said = headlines(adapter(&format!(
            "#[adapter(kind = \"external\", crate = {root})] impl Port for Http {{ {ONE} }}"
        )));
        assert_eq!(said, ["`crate` takes the path of the crate `resil`"], "{root}");
    }
    for root in [
        "resil",
        "::resil",
        "crate::a::resil",
        "self::resil",
        "super::r#type",
    ] {
        let said = headlines(adapter(&format!(
            "#[adapter(kind = \"external\", crate = {root})] impl Port for Http {{ {ONE} }}"
        )));
        assert_eq!(said, [""; 0], "{root}");
    }
}
