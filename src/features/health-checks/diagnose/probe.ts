import { lookup } from 'node:dns/promises'
import { request as httpRequest } from 'node:http'
import { connect, isIP } from 'node:net'
import { type PeerCertificate, type TLSSocket, connect as tlsConnect } from 'node:tls'
import type { IsForbidden } from '../../../domain/forbidden-addresses.ts'
import type { Certificate, Diagnosis, ProbedTarget, Timed } from '../rules/diagnosis.ts'

const MAX_ADDRESSES = 4
const STEP_TIMEOUT_MS = 3000
const MAX_NAMES = 8

/** Probes a target once from this app: DNS, connection, certificate, response. Reads no body and follows no redirect. */
export async function diagnose(
  target: ProbedTarget,
  isForbidden: IsForbidden,
  signal: AbortSignal,
): Promise<Diagnosis> {
  const resolved = await resolveHost(target, signal)
  // Like the service, ignores DNS if the check has a server address.
  const resolvedAddresses = 'problem' in resolved ? [] : resolved.addresses
  const addresses = target.serverAddress ? [target.serverAddress] : resolvedAddresses
  const connections = await Promise.all(
    addresses.slice(0, MAX_ADDRESSES).map(async (address) => ({
      address,
      // Connects to the address that was just checked, because DNS could return a forbidden one the second time.
      ...(isForbidden(address) ? { problem: FORBIDDEN } : await tryConnect(address, target.port, signal)),
    })),
  )
  const connected = connections.find((connection) => 'ms' in connection)
  if (!connected || target.protocol === 'TCP') return { resolved, connections }
  if (target.protocol !== 'HTTPS')
    return { resolved, connections, answer: await tryHttp(target, connected.address, undefined, signal) }
  const secured = await tryTls(target, connected.address, signal)
  if ('problem' in secured) return { resolved, connections, certificate: secured }
  const answer = await tryHttp(target, connected.address, secured.socket, signal)
  secured.socket.destroy()
  return { resolved, connections, certificate: secured.certificate, answer }
}

const FORBIDDEN = 'not tested, because the operator of this app doesn’t allow connections to it'

const withStepTimeout = (signal: AbortSignal): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(STEP_TIMEOUT_MS)])

async function resolveHost({ host }: ProbedTarget, signal: AbortSignal): Promise<Diagnosis['resolved']> {
  if (isIP(host) !== 0) return { ms: 0, addresses: [host] }
  const started = performance.now()
  const timeout = Promise.withResolvers<never>()
  const stepSignal = withStepTimeout(signal)
  stepSignal.addEventListener('abort', () => timeout.reject(new Error('ETIMEOUT')), { once: true })
  try {
    const found = await Promise.race([lookup(host, { all: true }), timeout.promise])
    return { ms: elapsedMs(started), addresses: [...new Set(found.map(({ address }) => address))] }
  } catch (error) {
    return { problem: describeProblem(error) }
  }
}

function tryConnect(
  address: string,
  port: number,
  signal: AbortSignal,
): Promise<Timed | { problem: string }> {
  const started = performance.now()
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, signal: withStepTimeout(signal) })
    socket.on('error', (error) => resolve({ problem: describeProblem(error) }))
    socket.once('connect', () => {
      resolve({ ms: elapsedMs(started) })
      socket.destroy()
    })
  })
}

function tryTls(
  { host, port }: ProbedTarget,
  address: string,
  signal: AbortSignal,
): Promise<{ certificate: Certificate; socket: TLSSocket } | { problem: string }> {
  const started = performance.now()
  return new Promise((resolve) => {
    const stepSignal = withStepTimeout(signal)
    const socket = tlsConnect({
      host: address,
      port,
      ...(isIP(host) === 0 && { servername: host }),
      // An invalid certificate is reported, not rejected. Nothing confidential is sent.
      rejectUnauthorized: false,
    })
    const abort = (): void => void socket.destroy(new Error('ETIMEOUT'))
    stepSignal.addEventListener('abort', abort, { once: true })
    socket.on('error', (error) => resolve({ problem: describeProblem(error) }))
    socket.once('secureConnect', () => {
      stepSignal.removeEventListener('abort', abort)
      const problem = socket.authorized ? undefined : describeCertificateProblem(socket.authorizationError)
      resolve({
        socket,
        certificate: { ms: elapsedMs(started), ...readCertificate(socket.getPeerCertificate()), problem },
      })
    })
  })
}

function readCertificate({
  subject,
  subjectaltname = '',
  valid_to,
}: PeerCertificate): Pick<Certificate, 'names' | 'endsAt'> {
  const subjectAltNames = subjectaltname.split(', ').flatMap((entry) => {
    const [, name] = /^(?:DNS|IP Address):(.+)$/.exec(entry) ?? []
    return name ? [name] : []
  })
  const commonNames = [subject?.CN ?? []].flat()
  const names = subjectAltNames.length > 0 ? subjectAltNames : commonNames
  const endsAt = new Date(valid_to)
  return { names: names.slice(0, MAX_NAMES), endsAt: Number.isNaN(endsAt.getTime()) ? undefined : endsAt }
}

function tryHttp(
  { host, port, path, protocol }: ProbedTarget,
  address: string,
  socket: TLSSocket | undefined,
  signal: AbortSignal,
): Promise<(Timed & { status: number }) | { problem: string }> {
  const started = performance.now()
  return new Promise((resolve) => {
    const request = httpRequest({
      host: address,
      port,
      path,
      method: 'GET',
      signal: withStepTimeout(signal),
      headers: {
        host: hostHeader(host, port, protocol),
        'user-agent': 'Signalman',
        accept: '*/*',
        connection: 'close',
      },
      ...(socket ? { createConnection: () => socket } : { agent: false }),
    })
    request.on('error', (error) => resolve({ problem: describeProblem(error) }))
    request.once('response', (response) => {
      resolve({ ms: elapsedMs(started), status: response.statusCode ?? 0 })
      response.destroy()
    })
    request.end()
  })
}

function hostHeader(host: string, port: number, protocol: string): string {
  const name = isIP(host) === 6 ? `[${host}]` : host
  return port === (protocol === 'HTTPS' ? 443 : 80) ? name : `${name}:${port}`
}

const elapsedMs = (started: number): number => Math.round(performance.now() - started)

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name isn’t in DNS',
  EAI_AGAIN: 'DNS didn’t respond',
  ETIMEOUT: `no response within ${STEP_TIMEOUT_MS / 1000} s`,
  ETIMEDOUT: `no response within ${STEP_TIMEOUT_MS / 1000} s`,
  ABORT_ERR: `no response within ${STEP_TIMEOUT_MS / 1000} s`,
  ECONNREFUSED: 'connection refused: nothing listens on this port, or a firewall refuses connections',
  ECONNRESET: 'the target closed the connection',
  EHOSTUNREACH: 'no route to this address',
  ENETUNREACH: 'no route to this network',
}

/** Explains an error by its code. Doesn't show its message, which may contain anything. */
function describeProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (error instanceof Error && error.message === 'ETIMEOUT') return PROBLEMS.ETIMEOUT ?? ''
  return PROBLEMS[code] ?? (/^[A-Z_0-9]{3,60}$/.test(code) ? code : 'it failed')
}

const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its root certificate isn’t trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'issued by an untrusted authority, or its chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'issued by an untrusted authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'issued for other names',
}

function describeCertificateProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  return CERTIFICATE_PROBLEMS[code] ?? (/^[A-Z_0-9]{3,60}$/.test(code) ? code : 'invalid')
}
