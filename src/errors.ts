/**
 * A sentence the person who asked can act on; shown as it is and not logged as a fault.
 * `field` names the form input it belongs to, where there is one.
 */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly field: string | undefined
  constructor(message: string, options: { field?: string } = {}) {
    super(message)
    this.field = options.field
  }
}
