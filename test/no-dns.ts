import { Resolver } from 'node:dns/promises'

/** Signalman compares server addresses with DNS. Tests don't reach any network, and no name in them exists. */
const refuse = async (domain: string): Promise<never> => {
  throw Object.assign(new Error(`queryA ENOTFOUND ${domain}`), { code: 'ENOTFOUND' })
}
Object.assign(Resolver.prototype, { resolve4: refuse, resolve6: refuse })
