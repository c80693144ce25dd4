/** A certificate signing request for shop.example.com (EC P-256, one name). Its private key was deleted. */
export const EXAMPLE_CSR = `-----BEGIN CERTIFICATE REQUEST-----
MIIBBDCBqwIBADAbMRkwFwYDVQQDExBzaG9wLmV4YW1wbGUuY29tMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEbNx1fTwIRGHo4sobRERfiTIX0Xm/KaTlJw4qhZ5i
IABKBEneTu4cix00EEmLCjRHyGydRkZyiEHDeuVwUk67raAuMCwGCSqGSIb3DQEJ
DjEfMB0wGwYDVR0RBBQwEoIQc2hvcC5leGFtcGxlLmNvbTAKBggqhkjOPQQDAgNI
ADBFAiEAxm2Dsljd7urHrPwqOi48Kus46IzCjLbCTX/3z0fLovYCIDmuoJIGTHF7
6aJr4rvN46u83FODVu7n0/8caVMR1QtO
-----END CERTIFICATE REQUEST-----`
