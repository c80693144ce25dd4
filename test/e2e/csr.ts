/** A certificate signing request for shop.example.com (EC P-256, two names), made with openssl. Its private key was deleted. */
export const EXAMPLE_CSR = `-----BEGIN CERTIFICATE REQUEST-----
MIIBLDCB0wIBADAtMRkwFwYDVQQDDBBzaG9wLmV4YW1wbGUuY29tMRAwDgYDVQQK
DAdFeGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvuTqWNrmHFFbUdLB
rQZwg2BN0M9fIncsS82ATzq6WBpQI3DlTjuUuY+urqC8xICT15HKkoulti4nptG1
Ov9AiKBEMEIGCSqGSIb3DQEJDjE1MDMwMQYDVR0RBCowKIIQc2hvcC5leGFtcGxl
LmNvbYIUd3d3LnNob3AuZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIgKLcp
Vj7DAZSS/TkxblAO4gxdDhAfgNi22OdchRGvD6cCIQDqRiJ17TxwBdDgamaI5B+9
aNwJGN1FQZTejlSdBvlKjw==
-----END CERTIFICATE REQUEST-----`
