import type { Environment } from '../domain/environment.ts'
import { SealError, type Store } from '../store/store.ts'
import type { Variables } from './newer-at-service.ts'

interface Credentials {
  whose: string
  environment: Environment
  token: string | undefined
}

/** The tokens that this deployment could ask the service with, one workspace and environment after the other. */
export async function* tokensOf({ connections }: Pick<Store, 'connections'>, variables: Variables) {
  const configured = { production: variables.API_TOKEN?.trim(), ote: variables.API_OTE_TOKEN?.trim() }
  for (const environment of ['production', 'ote'] as const) {
    const token = configured[environment]
    if (token) yield { whose: 'the configured token', environment, token } satisfies Credentials
  }
  for (const { workspaceId, environment } of await connections.everywhere()) {
    const token = await connections.find(workspaceId, environment).then(
      (found) => found?.token,
      (error: unknown) => {
        if (error instanceof SealError) return undefined
        throw error
      },
    )
    yield { whose: workspaceId, environment, token } satisfies Credentials
  }
}
