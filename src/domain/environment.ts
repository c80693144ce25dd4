// This folder has small pure types and rules that several features share.

/** The vendor's two services. OTE is the test environment. */
export const ENVIRONMENTS = ['production', 'ote'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

/** The environment variables with an operator's tokens. */
export const TOKEN_VARIABLES: Readonly<Record<Environment, string>> = {
  production: 'API_TOKEN',
  ote: 'API_OTE_TOKEN',
}

/** Appended to the name of anything outside production. */
export const environmentSuffix = (environment: Environment): string => (environment === 'ote' ? ' (OTE)' : '')

/** Display names. */
export const ENVIRONMENT_NAMES: Readonly<Record<Environment, string>> = {
  production: 'production',
  ote: 'OTE',
}
