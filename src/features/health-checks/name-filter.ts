import { foldName } from '../../domain/typed-text/fold-name.ts'
import { ApiError } from '../../service/errors.ts'
import type { HealthCheck } from '../../service/health-checks.ts'
import type { Api } from '../../service/service.ts'
import type { ServiceFilters } from './rules/listing.ts'

/** How to find the checks of a listing. */
interface NameQuery<Filters> {
  readonly query: Filters
  /** Set if the service can't find part of a name: then its answer has other checks too. */
  readonly matches?: ((check: Pick<HealthCheck, 'name'>) => boolean) | undefined
}

/**
 * A name without a `*` stands for every name that contains it. The service documents a `*` only at the end, so if it finds nothing,
 * all names are compared here, as people see them. Throws ApiError.
 */
export async function toNameQuery<Filters extends ServiceFilters>(
  { healthChecks }: Pick<Api, 'healthChecks'>,
  filters: Filters,
): Promise<NameQuery<Filters>> {
  const { name } = filters
  if (name === undefined || name.includes('*')) return { query: filters }
  const query = { ...filters, name: `*${name}*` }
  const found = await healthChecks.list({ ...query, limit: 1 }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 400) return undefined
    throw error
  })
  if (found && found.total > 0) return { query }
  const folded = foldName(name)
  return {
    query: { ...filters, name: undefined },
    matches: (check) => foldName(check.name).includes(folded),
  }
}
