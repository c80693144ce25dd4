import type { Environment } from '../../domain/environment.ts'

/** A failure together with its environment, so that the buttons that repair it lead to the same one. */
export class FailedIn extends Error {
  override readonly name = 'FailedIn'
  readonly environment: Environment
  /** True when what was used shows a sign of life, whose place the failure takes. */
  readonly inPlace: boolean
  constructor(environment: Environment, cause: unknown, { inPlace = false }: { inPlace?: boolean } = {}) {
    super('A line failed.', { cause })
    this.environment = environment
    this.inPlace = inPlace
  }
}
