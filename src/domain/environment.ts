/** Which of the vendor's two services is meant; OTE is its test environment. */
export const ENVIRONMENTS = ['production', 'ote'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

/** The variable that an operator gives a token in. */
export const TOKEN_VARIABLES: Readonly<Record<Environment, string>> = {
  production: 'API_TOKEN',
  ote: 'API_OTE_TOKEN',
}

/** Behind the name of what is not production's. */
export const badgeOf = (environment: Environment): string => (environment === 'ote' ? ' (OTE)' : '')

/** As people read them. */
export const ENVIRONMENT_NAMES: Readonly<Record<Environment, string>> = {
  production: 'production',
  ote: 'OTE',
}
