//! TLS for the probes that go over the network.

use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// The other side has to prove its name by a certificate that this machine trusts (or one of `SSL_CERT_FILE` and
/// `SSL_CERT_DIR`). An error is a sentence.
pub(super) async fn verified() -> Result<ClientConfig, String> {
    let found = spawn_blocking(rustls_native_certs::load_native_certs)
        .await
        .map_err(|error| no_roots(&error.to_string()))?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(no_roots(&found.errors.first().map(ToString::to_string).unwrap_or_default()));
    }
    trusting(roots)
}

/// For connections that never are encrypted.
pub(super) fn unused() -> Result<ClientConfig, String> {
    trusting(RootCertStore::empty())
}

/// Encrypted, whoever is on the other side. It is what libpq does for `sslmode=prefer`, where the alternative is not to
/// encrypt at all; a server that is fresh from its package has a certificate of its own making.
pub(super) fn unverified() -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Anyone { provider: provider.clone() };
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| no_tls(&error))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

fn trusting(roots: RootCertStore) -> Result<ClientConfig, String> {
    Ok(ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| no_tls(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

fn no_roots(why: &str) -> String {
    let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
    format!(
        "No root certificates were found on this machine{why}; install its ca-certificates package, or name a file in \
         SSL_CERT_FILE."
    )
}

fn no_tls(error: &rustls::Error) -> String {
    format!("TLS cannot be set up: {error}; use an address without TLS.")
}

/// Takes every certificate.
#[derive(Debug)]
struct Anyone {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
