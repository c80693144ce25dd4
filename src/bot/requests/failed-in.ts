import type { Environment } from '../../domain/environment.ts'

/** A failure together with its environment, so that the buttons that repair it lead to the same one. */
export class FailedIn extends Error {
  override readonly name = 'FailedIn'
  readonly environment: Environment
  /** True when what was used shows a sign of life, whose place the failure takes. */
  readonly inPlace: boolean
  /** What ran, for the log. */
  readonly ran: string | undefined
  constructor(
    environment: Environment,
    cause: unknown,
    { inPlace = false, ran }: { inPlace?: boolean; ran?: string } = {},
  ) {
    super('A line failed.', { cause })
    this.environment = environment
    this.inPlace = inPlace
    this.ran = ran
  }
}
