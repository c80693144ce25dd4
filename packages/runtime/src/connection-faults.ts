/** What keeps a connection from working, to be said after the name of the other side, and what to do about it. */
interface ConnectionFault {
  readonly problem: string
  readonly fix: string
  /** About a proxy, the certificate, or TLS itself, and not about whether the other side works. */
  readonly isInBetween: boolean
}

/** By the codes of Node, OpenSSL (https://nodejs.org/api/tls.html#x509-certificate-error-codes), and undici. The first match counts. */
const FAULTS: readonly (readonly [code: RegExp, problem: string, fix: string, isInBetween?: true])[] = [
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)\w*|CERT_(?:UNTRUSTED|REJECTED)|INVALID_CA)$/,
    'has a certificate of an authority that this machine doesn’t trust',
    'name a file with the certificate of that authority in NODE_EXTRA_CA_CERTS',
    true,
  ],
  [
    /^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    'has a certificate for another name',
    'use a name from the certificate in the address',
    true,
  ],
  [
    /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/,
    'has a certificate that isn’t valid now',
    'renew it, or set the clock of this machine if that is wrong',
    true,
  ],
  [
    /^(?:ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNKNOWN_PROTOCOL)|EPROTO)$/,
    'doesn’t speak TLS at that port',
    'correct the port, or use the address without TLS (http:// instead of https://)',
    true,
  ],
  [
    /^ERR_SSL_/,
    'refuses the TLS connection',
    'check which versions of TLS, and which client certificate, it expects',
    true,
  ],
  [
    /^(?:HPE_|UND_ERR_HEADERS_OVERFLOW$)/,
    'doesn’t speak HTTP at that port',
    'correct the port, or use https:// if it expects TLS',
  ],
  [
    /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/,
    'doesn’t answer',
    'check whether it runs, and the host and port. In a container, localhost is the container itself',
  ],
  [
    /^(?:ENOTFOUND|EAI_AGAIN)$/,
    'can’t be found in DNS',
    'check the host in the address, and this machine’s DNS',
  ],
  [
    /^(?:ETIMEDOUT|\w+_TIMEOUT|TimeoutError)$/,
    'doesn’t answer in time',
    'check the host and port, the firewall, and whether it’s overloaded',
  ],
  [
    /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    'closed the connection',
    'check its log, a proxy in between, and whether it expects TLS',
  ],
]

/** A DOMException has a numeric code, so its name counts. */
const readCode = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string'
    ? error.code
    : error.name === 'TimeoutError'
      ? error.name
      : undefined

/** The code of the innermost cause that has one, which is the one of the connection itself. */
export function findConnectionCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return findConnectionCode(error.cause) ?? readCode(error)
}

/** The error of a connection that failed because of the proxy, and not of the other side: the status with which it refused, or a code. */
export const createProxyError = (reason: string | number) =>
  Object.assign(new Error(`The proxy: ${reason}`), { code: `PROXY_${reason}` })

/** Describes why a connection failed. Undefined if the cause isn't one of those that are known. */
export function describeConnectionFault(error: unknown): ConnectionFault | undefined {
  const code = findConnectionCode(error)
  return code === undefined ? undefined : describeCode(code)
}

function describeCode(code: string): ConnectionFault | undefined {
  const reason = /^PROXY_(.+)$/.exec(code)?.[1]
  if (reason !== undefined)
    return {
      problem: `can’t be reached, because the proxy ${describeCode(reason)?.problem ?? `refuses it (${reason})`}`,
      fix: 'check the address, the name, and the password in HTTPS_PROXY, and whether the proxy runs and allows this host and port',
      isInBetween: true,
    }
  const found = FAULTS.find(([pattern]) => pattern.test(code))
  return found && { problem: `${found[1]} (${code})`, fix: found[2], isInBetween: found[3] ?? false }
}
