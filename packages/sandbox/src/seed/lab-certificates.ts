/**
 * The CA that signed the certificate of the local HTTPS server. NOT SECRET: everything in this file is published on purpose, and is
 * useless elsewhere. The CA's own key was deleted after signing, and the CA is valid only for example domains and this machine. The
 * certificates in this file are valid until 2126, so the sandbox doesn't need openssl to create new ones.
 */
export const LAB_CA_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIICYTCCAgagAwIBAgIUG70gEcFuUFFN1mgcAgsI1ZmFAPIwCgYIKoZIzj0EAwIw
TzExMC8GA1UECgwoU2FuZGJveCB0ZXN0IGF1dGhvcml0eSwgbm90IGZvciByZWFs
IHVzZTEaMBgGA1UEAwwRU2FuZGJveCB0ZXN0IHJvb3QwIBcNMjYxMTIwMDUxOTE0
WhgPMjEyNjEwMjcwNTE5MTRaME8xMTAvBgNVBAoMKFNhbmRib3ggdGVzdCBhdXRo
b3JpdHksIG5vdCBmb3IgcmVhbCB1c2UxGjAYBgNVBAMMEVNhbmRib3ggdGVzdCBy
b290MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEPgqYCHgC2WW7mXCsIWtsVMGW
dDweLxnEVAFlFJYF908IaUdc41ZWOdtDJEMDPbJNU6PLODSagFry2XLq5R6vxaOB
vTCBujAdBgNVHQ4EFgQUsbIJIV2X+fg1t88NEHgEc5ycrRowHwYDVR0jBBgwFoAU
sbIJIV2X+fg1t88NEHgEc5ycrRowEgYDVR0TAQH/BAgwBgEB/wIBADAOBgNVHQ8B
Af8EBAMCAgQwVAYDVR0eAQH/BEowSKBGMA2CC2V4YW1wbGUuY29tMA2CC2V4YW1w
bGUub3JnMA2CC2V4YW1wbGUubmV0MAuCCWxvY2FsaG9zdDAKhwh/AAAA/wAAADAK
BggqhkjOPQQDAgNJADBGAiEAksnKSljJ24fUWjH8YwXovDiaRr8ixlKZwBPPN00w
87MCIQCiyZrM1iTKJCTTc1LxcGFiwrgXqTNayxE1iABFSikOMA==
-----END CERTIFICATE-----
`

/** The key of the certificate below. Not secret. */
export const LAB_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6d0hBN6jKuQh9f6t
6lgY8sT8Yaxigjlxu86D+5IxzzyhRANCAAQcFxF4brvDLhBi4Z7rgx+m14qORszH
Fxs1mLs6CSNaC5T/w51L8yM/sE/N5OTbySpwjuJZdi0hFMN7wyOg7Buw
-----END PRIVATE KEY-----
`

/** Signed by the CA above, for one level below example.com, example.org, and example.net, and for localhost and 127.0.0.1. */
export const TRUSTED_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIICRjCCAeygAwIBAgICEmcwCgYIKoZIzj0EAwIwTzExMC8GA1UECgwoU2FuZGJv
eCB0ZXN0IGF1dGhvcml0eSwgbm90IGZvciByZWFsIHVzZTEaMBgGA1UEAwwRU2Fu
ZGJveCB0ZXN0IHJvb3QwIBcNMjYxMTIwMDUxOTE0WhgPMjEyNjEwMjcwNTE5MTRa
MB4xHDAaBgNVBAMME3NhbmRib3guZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggq
hkjOPQMBBwNCAAQcFxF4brvDLhBi4Z7rgx+m14qORszHFxs1mLs6CSNaC5T/w51L
8yM/sE/N5OTbySpwjuJZdi0hFMN7wyOg7Buwo4HmMIHjMG4GA1UdEQRnMGWCDSou
ZXhhbXBsZS5jb22CDSouZXhhbXBsZS5vcmeCDSouZXhhbXBsZS5uZXSCC2V4YW1w
bGUuY29tggtleGFtcGxlLm9yZ4ILZXhhbXBsZS5uZXSCCWxvY2FsaG9zdIcEfwAA
ATAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNVHSUEDDAKBggrBgEF
BQcDATAdBgNVHQ4EFgQUMtw3AONPSmLWtXvQVAGw1F8PKEswHwYDVR0jBBgwFoAU
sbIJIV2X+fg1t88NEHgEc5ycrRowCgYIKoZIzj0EAwIDSAAwRQIgbH1RlkwWh0ek
o80Nap9eXJ9ZWOotsbRanRWRfhoemtQCIQCw4bCZViN3QumJhkqe+9fC127ShKPe
W05w1bUTC8B/yg==
-----END CERTIFICATE-----
`
