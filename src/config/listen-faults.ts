import { errorCode } from '@signalman/durable'

/** Why the app can't listen on its HOST and PORT, and what to do. Undefined for other errors. */
export function describeListenFault(error: unknown): string | undefined {
  const { syscall, hostname, port } = Object(error) as Record<string, unknown>
  const code = errorCode(error)
  if (syscall === 'getaddrinfo')
    return `HOST is ${hostname}, a name without an address here (${code}). Set HOST to an address of this machine, or to 0.0.0.0 for all of them.`
  if (syscall !== 'listen') return undefined
  if (code === 'EADDRINUSE')
    return `Port ${port} is already in use (EADDRINUSE), maybe by another copy of Signalman. Stop it, or set another PORT or METRICS_PORT.`
  if (code === 'EACCES')
    return `This user may not use port ${port} (EACCES). Set PORT or METRICS_PORT to one from 1024 on.`
  if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')
    return `HOST isn’t an address of this machine (${code}). Set HOST to one that is, or to 0.0.0.0 for all of them.`
  return undefined
}
