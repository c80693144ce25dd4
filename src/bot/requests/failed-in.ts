import type { Environment } from '../../domain/environment.ts'

/** A failure with the environment it happened in: what is offered as its mend must lead there too. */
export class FailedIn extends Error {
  override readonly name = 'FailedIn'
  readonly environment: Environment
  constructor(environment: Environment, cause: unknown) {
    super('A line failed.', { cause })
    this.environment = environment
  }
}
