/** Which of the vendor's two services is meant; OTE is its test environment. */
export type Environment = 'production' | 'ote'

/** As people read them. */
export const ENVIRONMENT_NAMES: Readonly<Record<Environment, string>> = {
  production: 'production',
  ote: 'OTE',
}
