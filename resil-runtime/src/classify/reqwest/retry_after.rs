//! The header `Retry-After`.

use std::time::{Duration, SystemTime};

use crate::classify::LONGEST_WAIT;

/// The wait that `value` asks for: seconds, or a date, seen from `now`. A date that has passed asks for none. What is
/// neither, or asks for more than ten years, says nothing.
pub(super) fn parse(value: &[u8], now: SystemTime) -> Option<Duration> {
    let text = std::str::from_utf8(value).ok()?.trim_ascii();
    let wait = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        Duration::from_secs(text.parse().ok()?)
    } else {
        let date = httpdate::parse_http_date(text).ok()?;
        date.duration_since(now).unwrap_or_default()
    };
    (wait <= LONGEST_WAIT).then_some(wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> SystemTime {
        httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").expect("a date")
    }

    fn seconds(value: &str) -> Option<u64> {
        parse(value.as_bytes(), now()).map(|wait| wait.as_secs())
    }

    #[test]
    fn seconds_are_a_wait() {
        assert_eq!(seconds("0"), Some(0));
        assert_eq!(seconds("120"), Some(120));
        assert_eq!(seconds(" 007 "), Some(7));
    }

    #[test]
    fn a_date_is_a_wait_from_now() {
        assert_eq!(seconds("Sun, 06 Nov 1994 08:50:07 GMT"), Some(30));
        // The two older forms that a recipient has to understand.
        assert_eq!(seconds("Sunday, 06-Nov-94 08:50:07 GMT"), Some(30));
        assert_eq!(seconds("Sun Nov  6 08:50:07 1994"), Some(30));
    }

    #[test]
    fn a_date_in_the_past_asks_for_no_wait() {
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:36 GMT"), Some(0));
        assert_eq!(seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
    }

    #[test]
    fn a_wait_of_more_than_ten_years_is_not_believed() {
        assert_eq!(seconds("315360000"), Some(315_360_000));
        assert_eq!(seconds("315360001"), None);
        assert_eq!(seconds("18446744073709551615"), None);
        assert_eq!(seconds("99999999999999999999999999"), None);
        assert_eq!(seconds("Fri, 31 Dec 9999 23:59:59 GMT"), None);
    }

    #[test]
    fn garbage_says_nothing() {
        let garbage = [
            "", " ", "-1", "+1", "1.5", "1e3", "1s", "soon", "0x10", "12 34", "١٢",
        ];
        for value in garbage {
            assert_eq!(seconds(value), None, "{value:?}");
        }
        let dates = [
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 0000 08:49:37 GMT",
            "Sun, 06 Nov 1994 99:99:99 GMT",
            "1994-11-06T08:49:37Z",
        ];
        for value in dates {
            assert_eq!(seconds(value), None, "{value:?}");
        }
        assert_eq!(parse(&[0xff, 0xfe], now()), None);
        assert_eq!(parse(b"\x00", SystemTime::UNIX_EPOCH), None);
    }
}
