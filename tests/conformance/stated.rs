//! Where a retry is stated: on the impl, on the method, or for the kind.

use resil_runtime::{AdapterSpec, Instance, Kind, MethodSpec, Overrides, Policies, Retry};

use crate::clock::timed;
use crate::method::Method;
use crate::support::{Error, Port, Scripted, Step, fault, is_timeout, ms};

/// On the impl; the method says otherwise.
static FOUR: AdapterSpec = AdapterSpec::new("resil", "Port", "Four", Kind::External)
    .policies(Policies::new().retry(Retry::attempts(4)));
static SIX: MethodSpec = MethodSpec::new(&FOUR, "read")
    .overrides(Overrides::new().retry(Retry::attempts(6)))
    .idempotent();
static NEVER: MethodSpec = MethodSpec::new(&FOUR, "read")
    .overrides(Overrides::new().retry_off())
    .idempotent();
static AS_THE_IMPL: MethodSpec = MethodSpec::new(&FOUR, "read").idempotent();

/// Nothing on the impl.
static BARE: AdapterSpec = AdapterSpec::new("resil", "Port", "Bare", Kind::External);
static STATED: MethodSpec = MethodSpec::new(&BARE, "read")
    .overrides(Overrides::new().retry(Retry::attempts(4)))
    .idempotent();
static BY_KIND: MethodSpec = MethodSpec::new(&BARE, "read").idempotent();
static BY_KIND_UNSAID: MethodSpec = MethodSpec::new(&BARE, "write");
static OWN: AdapterSpec = AdapterSpec::new("resil", "Port", "Own", Kind::External).own();
static OWN_METHOD: MethodSpec = MethodSpec::new(&OWN, "read").idempotent();
static STORE: AdapterSpec = AdapterSpec::new("resil", "Port", "Store", Kind::Repository);
static STORE_METHOD: MethodSpec = MethodSpec::new(&STORE, "read").idempotent();

#[tokio::test(start_paused = true)]
async fn a_method_attribute_replaces_the_impls_and_the_kind_fills_in_where_nothing_is_stated() {
    type Row = (
        &'static str,
        &'static AdapterSpec,
        &'static MethodSpec,
        fn(u32) -> Step,
        u32,
    );
    let rows: [Row; 11] = [
        // 6: RetryTest.testClassLevelRetryMaxDuration, without its total time
        ("6", &FOUR, &SIX, |_| fault(), 6),
        ("an attribute that says off", &FOUR, &NEVER, |_| fault(), 1),
        ("as on the impl", &FOUR, &AS_THE_IMPL, |_| fault(), 4),
        // 13: RetryConditionTest.testClassLevelRetryOnFalse
        ("13", &FOUR, &SIX, |_| Step::Now(Err(Error::Permanent)), 1),
        // 26: RetryVisibilityTest.baseRetryServiceUsesDefaults; the default is three attempts
        ("26", &BARE, &BY_KIND, |_| fault(), 3),
        // 27: RetryVisibilityTest.serviceBaseROM
        ("27", &BARE, &STATED, |_| fault(), 4),
        // 28: RetryVisibilityTest.serviceBaseROMRetryMissingOnMethod; "none" is said by `own`, or by the kind
        ("28, own", &OWN, &OWN_METHOD, |_| fault(), 1),
        ("28, a repository", &STORE, &STORE_METHOD, |_| fault(), 1),
        (
            "the kind's retry where nobody said what may be repeated",
            &BARE,
            &BY_KIND_UNSAID,
            |_| fault(),
            1,
        ),
        (
            "the same, not sent",
            &BARE,
            &BY_KIND_UNSAID,
            |_| Step::Now(Err(Error::NotSent)),
            3,
        ),
        (
            "the kind's timeout, where that may not be repeated",
            &BARE,
            &BY_KIND_UNSAID,
            |_| Step::Hang,
            1,
        ),
    ];
    for (row, adapter, spec, script, calls) in rows {
        let method = Method::of(&Instance::new(adapter), spec);
        let body = Scripted::new(script);
        assert!(method.call(|| body.call()).await.is_err(), "row {row}");
        assert_eq!(body.calls(), calls, "row {row}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_kind_bounds_each_attempt_by_two_seconds() {
    let method = Method::of(&Instance::new(&BARE), &BY_KIND_UNSAID);
    let (answer, time) = timed(method.call(std::future::pending)).await;
    assert!(is_timeout(&answer), "{answer:?}");
    assert_eq!(time, ms(2000));
}
