import type { Environment } from '../../domain/environment.ts'

/** A failure together with its environment, so that the buttons that repair it lead to the same one. */
export class FailedIn extends Error {
  override readonly name = 'FailedIn'
  readonly environment: Environment
  constructor(environment: Environment, cause: unknown) {
    super('A line failed.', { cause })
    this.environment = environment
  }
}
