//! `#[derive(Classify)]`.

use super::{headlines, messages, pretty};

fn derive(source: &str) -> proc_macro2::TokenStream {
    crate::classify::classify(source.parse().expect("the source is Rust"))
}

fn shown(source: &str) -> String {
    let output = derive(source);
    assert_eq!(
        derive(source).to_string(),
        output.to_string(),
        "the same comes out each time"
    );
    assert_eq!(messages(output.clone()), [""; 0]);
    format!("{}\n// ---- adds ----\n\n{}", source.trim(), pretty(&output))
}

macro_rules! snapshot {
    ($name:ident, $source:expr) => {
        #[test]
        fn $name() {
            insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
                insta::assert_snapshot!(stringify!($name), shown($source));
            });
        }
    };
}

snapshot! { classes_of_an_enum, r#"
pub enum SmsError {
    #[class(refusal)]
    NumberRefused,
    #[class(transient, not_sent, code = "refused")]
    Connect(Error),
    #[class(transient, retry_after = wait)]
    Busy { wait: Duration, by: String },
    #[class(transient, retry_after = 1)]
    Throttled(String, Option<Duration>),
    #[class(permanent)]
    HTTPStatus(u16),
    #[class(policy)]
    Policy(#[from] resil::PolicyError),
    #[class(inherit)]
    Http { source: HttpError },
    #[class(inherit = source, code = "db", not_sent)]
    Database { source: DbError, statement: String },
    #[class(refusal)]
    r#Type,
}
"# }

snapshot! { classes_of_a_generic_struct, r"
#[class(inherit = inner, crate = policies)]
struct Wrapped<'a, E: Debug, const N: usize> where E: 'a {
    inner: Box<E>,
    about: &'a [u8; N],
}
" }

snapshot! { an_enum_without_values, "enum Never {}" }

#[test]
fn every_variant_says_what_it_means() {
    let said = messages(derive("enum E { A, #[class(transient)] B, C { n: u8 } }"));
    assert_eq!(said.len(), 2);
    assert_eq!(
        said[0],
        "`E::A` does not say what it means for the dependency\n\n\
         help: put `#[class(transient)]` or another class on it: `refusal`: the dependency answered, and the answer is \
         no; `transient`: may pass; `permanent`: will not pass; `policy`: holds a `PolicyError`; `inherit`: ask the inner \
         error\n\
         note: without a class a refused customer would open the circuit, or a failure would never be retried"
    );
    assert!(said[1].starts_with("`E::C` does not say"));
    assert_eq!(
        headlines(derive("struct S;")),
        ["`S` does not say what it means for the dependency"]
    );
}

/// Where a class stands, what it stands on, and what is said.
const MISTAKES: &[(&str, &str, &str)] = &[
    ("#[class(transiet)]", "", "unknown `transiet` in `#[class(…)]`"),
    ("#[class(nonsense)]", "", "unknown `nonsense` in `#[class(…)]`"),
    (
        "#[class(transient, cod = \"x\")]",
        "",
        "unknown `cod` in `#[class(…)]`",
    ),
    (
        "#[class(transient, refusal)]",
        "",
        "`refusal` stands beside `transient`",
    ),
    (
        "#[class(transient)] #[class(transient)]",
        "",
        "`transient` stands beside `transient`",
    ),
    (
        "#[class(transient, code = \"a\", code = \"b\")]",
        "",
        "`code` is given twice",
    ),
    (
        "#[class(transient, code = 3)]",
        "",
        "`code` takes a text in quotes, got `3`",
    ),
    ("#[class(transient, code = \"\")]", "", "`code` is empty"),
    ("#[class(transient = 3)]", "", "`transient` takes nothing"),
    (
        "#[class(transient, not_sent = true)]",
        "",
        "`not_sent` takes nothing",
    ),
    (
        "#[class(transient, retry_after)]",
        "(Duration)",
        "`retry_after` takes the name of a field",
    ),
    (
        "#[class(transient, retry_after = \"x\")]",
        "(Duration)",
        "`retry_after` takes the name of a field",
    ),
    (
        "#[class(transient, retry_after = wiat)]",
        "{ wait: Duration }",
        "`E::A` has no field `wiat`",
    ),
    (
        "#[class(transient, retry_after = 1)]",
        "(Duration)",
        "`E::A` has no field `1`",
    ),
    (
        "#[class(transient, retry_after = 0)]",
        "",
        "`E::A` has no field `0`",
    ),
    (
        "#[class(inherit)]",
        "",
        "`inherit` asks the error that `E::A` holds, and it has 0 fields",
    ),
    (
        "#[class(inherit)]",
        "(A, B)",
        "`inherit` asks the error that `E::A` holds, and it has 2 fields",
    ),
    ("#[class(inherit = 2)]", "(A, B)", "`E::A` has no field `2`"),
    (
        "#[class(policy)]",
        "(A, B)",
        "`policy` asks the error that `E::A` holds, and it has 2 fields",
    ),
    (
        "#[class(policy, code = \"x\")]",
        "(A)",
        "`code` has no meaning beside `policy`",
    ),
    (
        "#[class(transient, crate = x)]",
        "",
        "`crate` belongs on the type",
    ),
    ("#[class]", "", "`#[class]` takes a class in parentheses"),
    (
        "#[class = \"transient\"]",
        "",
        "`#[class]` takes a class in parentheses",
    ),
    (
        "#[class(transient)]",
        "(#[class(refusal)] u8)",
        "`#[class(…)]` belongs on a variant",
    ),
];

#[test]
fn mistakes_are_said_once_each() {
    for (attributes, fields, wanted) in MISTAKES {
        let source = format!("enum E {{ {attributes} A{fields} }}");
        let said = headlines(derive(&source));
        let missing = said
            .iter()
            .filter(|said| said.contains("does not say what it means"))
            .count();
        assert!(said[0].starts_with(wanted), "{source}: {said:#?}");
        assert_eq!(said.len() - missing, 1, "{source}: {said:#?}");
        assert!(
            missing == 0 || attributes.starts_with("#[class]") || attributes.starts_with("#[class ="),
            "{source}: {said:#?}"
        );
    }
    assert_eq!(
        headlines(derive("union U { a: u8 }")),
        ["a union cannot say what its values mean"]
    );
    assert_eq!(
        headlines(derive("#[class(transient)] enum E { #[class(refusal)] A }")),
        ["`transient` would be said of all values of `E` at once"]
    );
}

#[test]
fn an_impl_comes_out_all_the_same() {
    let output = derive("enum E { A }").to_string();
    assert!(output.contains("Classify for E"), "{output}");
}
