//! TLS and HTTP/2.
