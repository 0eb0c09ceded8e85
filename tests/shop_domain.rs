//! This crate's name alone makes it a layer of the domain.

use resil::layer;

/// The names that the build's environment lists have no part in this.
const HERE: Option<&str> = layer::forbidding(module_path!(), None);

mod infrastructure {
    pub(super) const HERE: Option<&str> = resil::layer::forbidding(module_path!(), None);
    // Does not compile where it is refused.
    const _: () = ::resil::__private::outside_inner_layers("#[adapter]", module_path!(), None);
}

#[test]
fn a_crate_that_is_named_after_a_layer_is_one() {
    assert_eq!(HERE, Some("shop_domain"));
    let refused = std::panic::catch_unwind(|| {
        ::resil::__private::outside_inner_layers("#[adapter]", module_path!(), None);
    });
    assert!(refused.is_err());
}

#[test]
fn its_infrastructure_is_none() {
    assert_eq!(infrastructure::HERE, None);
}
