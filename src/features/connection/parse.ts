import { FieldErrors } from '@signalman/runtime'

const QUOTES = /^["'`\u2018\u2019\u201c\u201d\u00ab\u00bb]+|["'`\u2018\u2019\u201c\u201d\u00ab\u00bb]+$/g
const SCHEME = /^(?:authorization\s*:\s*)?bearer\s+/i
/** What an Authorization header can carry: visible ASCII. */
const TOKEN = /^[\x21-\x7e]+$/

/**
 * A pasted token without what comes along with it: surrounding space, quotes and back-ticks, a leading `Bearer`. Throws
 * FieldErrors for `token`, whose sentences never repeat what was pasted.
 */
export function cleanToken(pasted: string | undefined): string {
  const token = unwrapped(unwrapped(pasted ?? '').replace(SCHEME, ''))
  if (!token || /^bearer$/i.test(token)) throw wrong('There is no token here yet: paste the whole token.')
  if (/\s/.test(token))
    throw wrong('A token has no spaces or line breaks inside. Paste the token alone, in one piece.')
  if (!TOKEN.test(token))
    throw wrong('A token holds plain letters, digits and signs only, and this has others. Copy it again.')
  return token
}

const unwrapped = (text: string): string => text.trim().replace(QUOTES, '').trim()

const wrong = (sentence: string): FieldErrors => new FieldErrors({ token: sentence })
