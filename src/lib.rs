//! Timeout, retry, circuit breaker and bulkhead for the adapters of a service, as one attribute.
