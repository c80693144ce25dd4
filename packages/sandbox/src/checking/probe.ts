// This folder checks targets for real.

import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect, isIP, isIPv6 } from 'node:net'
import {
  checkServerIdentity,
  createSecureContext,
  getCACertificates,
  type PeerCertificate,
  type SecureContext,
} from 'node:tls'
import type { HealthCheckRow, Protocol } from '../health-check-store.ts'
import { isLocalhostName, isLoopbackAddress } from '../loopback.ts'
import { LAB_CA_CERTIFICATE } from '../seed/lab-certificates.ts'
import { parseTarget, type Target } from '../target.ts'

export type ProbedCheck = Pick<
  HealthCheckRow,
  'protocol' | 'target' | 'port' | 'http_server_address' | 'verify_ssl'
>

const DEFAULT_PORTS: Record<Protocol, number> = { TCP: 0, HTTP: 80, HTTPS: 443 }

/**
 * Checks once whether the target is healthy. With TCP, the port must accept a connection. With HTTP and HTTPS, a GET must return a
 * status from 200 to 399; redirects aren't followed. Returns false on any failure, also if `signal` aborts the attempt.
 */
export async function probe(check: ProbedCheck, signal: AbortSignal): Promise<boolean> {
  const target = parseTarget(check.target)
  if (!target) return false
  const address = check.http_server_address ?? (isLocalhostName(target.host) ? '127.0.0.1' : target.host)
  try {
    if (check.protocol === 'TCP') await connectTo(address, check.port, signal)
    else return isHealthyStatus(await requestStatus(check, target, address, signal))
    return true
  } catch {
    return false
  }
}

const isHealthyStatus = (status: number): boolean => status >= 200 && status < 400

function connectTo(host: string, port: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal })
    socket.once('error', reject)
    socket.once('connect', () => {
      resolve()
      socket.destroy()
    })
  })
}

/** Returns the response status without reading the body. Connects to `address`, but sends the target's name as Host and SNI. */
function requestStatus(
  check: ProbedCheck,
  target: Target,
  address: string,
  signal: AbortSignal,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const options = {
    host: address,
    port: check.port,
    path: target.path,
    headers: { host: hostHeader(check, target), 'user-agent': 'sandbox-health-check', connection: 'close' },
    agent: false,
    signal,
  } as const
  const onResponse = (response: IncomingMessage): void => {
    resolve(response.statusCode ?? 0)
    response.destroy()
  }
  const request =
    check.protocol === 'HTTP'
      ? httpRequest(options, onResponse)
      : httpsRequest({ ...options, ...tlsOptions(check, target, address) }, onResponse)
  // Also needed after the response, because the connection may fail while it's being closed.
  request.on('error', reject)
  request.end()
  return promise
}

function hostHeader({ protocol, port }: ProbedCheck, { host }: Target): string {
  const name = isIPv6(host) ? `[${host}]` : host
  return port === DEFAULT_PORTS[protocol] ? name : `${name}:${port}`
}

function tlsOptions({ verify_ssl }: ProbedCheck, { host }: Target, address: string) {
  return {
    rejectUnauthorized: verify_ssl !== 0,
    // An IP address can't be a server name (RFC 6066, section 3).
    servername: isIP(host) ? '' : host,
    // Without a server name, Node would compare the certificate with the address that it connects to.
    checkServerIdentity: (_connected: string, certificate: PeerCertificate) =>
      checkServerIdentity(host, certificate),
    ...(isLoopbackAddress(address) && { secureContext: getLoopbackContext() }),
  }
}

let loopbackContext: SecureContext | undefined

/** For connections to this machine: also trusts the CA of the local servers that the example checks watch. */
function getLoopbackContext(): SecureContext {
  loopbackContext ??= createSecureContext({ ca: [...getCACertificates('default'), LAB_CA_CERTIFICATE] })
  return loopbackContext
}
