import type { Environment } from './environment.ts'

/**
 * Which server addresses the service's list of health checks shows, as the operator has found out. The API doesn't specify it, and
 * the details of a check always show the address in use, whether someone set it or the service resolved it.
 * - `none`: no addresses, or it isn't known which
 * - `given`: exactly the addresses that someone set
 * - `all`: set and resolved addresses alike
 */
export const SERVER_ADDRESSES = ['none', 'given', 'all'] as const
export type ServerAddresses = (typeof SERVER_ADDRESSES)[number]

/** The environment variables that say so. */
export const SERVER_ADDRESS_VARIABLES: Readonly<Record<Environment, string>> = {
  production: 'API_SERVER_ADDRESSES',
  ote: 'API_OTE_SERVER_ADDRESSES',
}
