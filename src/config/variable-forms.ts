import { z } from 'zod'

export const url = (what: string, example = 'https://api.example.com') =>
  z
    .url({ protocol: /^https?$/, error: `is not a web address; give ${what}, e.g. ${example}` })
    .refine((given) => !/[?#]/.test(given), { error: 'has a ? or a # in it; give the address up to there' })

export const blankAsUnset = (value: unknown) =>
  typeof value === 'string' && value.trim() === '' ? undefined : value
export const optional = <T extends z.ZodType>(schema: T) => z.preprocess(blankAsUnset, schema.optional())
