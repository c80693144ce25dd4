/** What keeps a connection from working, to be said after the name of the other side, and what to do about it. */
interface ConnectionFault {
  readonly problem: string
  readonly fix: string
  /** About the certificate, or TLS itself. */
  readonly isAboutTls: boolean
}

/** By the codes of Node, OpenSSL (https://nodejs.org/api/tls.html#x509-certificate-error-codes), and undici. The first match counts. */
const FAULTS: readonly (readonly [code: RegExp, problem: string, fix: string, isAboutTls?: true])[] = [
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
  [/^HPE_/, 'doesn’t speak HTTP at that port', 'correct the port, or use https:// if it expects TLS'],
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

/** The status with which a proxy refused a connection. Only undici's message has it. */
const findProxyStatus = (error: unknown): string | undefined =>
  error instanceof Error
    ? (findProxyStatus(error.cause) ?? /^Proxy response \((\d+)\)/.exec(error.message)?.[1])
    : undefined

/** Describes why a connection failed. Undefined if the cause isn't one of those that are known. */
export function describeConnectionFault(error: unknown): ConnectionFault | undefined {
  const [status, code] = [findProxyStatus(error), findConnectionCode(error)]
  if (status !== undefined)
    return {
      problem: `can’t be reached, because the proxy refuses it (${status})`,
      fix: 'check the name and the password in HTTPS_PROXY, and whether the proxy allows this host and port',
      isAboutTls: false,
    }
  if (code === undefined) return undefined
  const found = FAULTS.find(([pattern]) => pattern.test(code))
  return found && { problem: `${found[1]} (${code})`, fix: found[2], isAboutTls: found[3] ?? false }
}
