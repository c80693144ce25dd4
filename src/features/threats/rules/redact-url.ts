/** The placeholder for personal data. */
export const HIDDEN = '(personal data hidden)'

/** Email addresses. Matches only at the beginning of a word, because trying every character would take quadratic time. */
const EMAIL_ADDRESS =
  /(?<![^\s<>()[\]"',;:/?&=#])[^\s<>()[\]"',;:/?&=#]+(?:[@\uff20\ufe6b]|%(?:25)*40)[^\s<>()[\]"',;:/?&=#%]+/gi
const hasEmailAddress = (text: string): boolean => text.search(EMAIL_ADDRESS) >= 0

const SPELLED_AT = /[[({<]\s?at\s?[\])}>]/i
const SPELLED_EMAIL_ADDRESS =
  /[\w.+-]{1,64}\s?[[({<]\s?at\s?[\])}>]\s?[\w-]+(?:(?:\.|\s?[[({<]\s?dot\s?[\])}>]\s?)[\w-]+)+/gi

const hideEmailAddresses = (text: string): string => {
  const plain = text.replace(EMAIL_ADDRESS, HIDDEN)
  return SPELLED_AT.test(plain) ? plain.replace(SPELLED_EMAIL_ADDRESS, HIDDEN) : plain
}

/** How often a value is decoded. Phishing kits encode the victim's address once or twice. */
const MAX_DECODINGS = 3
const BASE64 = /^[A-Za-z0-9+/_-]{8,2000}={0,2}$/

/** Whether a part of a URL contains an email address or the owner's name: plain, percent-encoded, or as base64. */
function holdsPerson(text: string, namePattern: RegExp | undefined): boolean {
  let plain = text
  for (let count = 0; ; count += 1) {
    if (hasEmailAddress(plain)) return true
    if (namePattern && plain.replaceAll('+', ' ').search(namePattern) >= 0) return true
    const decoded = count < MAX_DECODINGS ? decode(plain) : plain
    if (decoded === plain) break
    plain = decoded
  }
  const fromBase64 = BASE64.test(plain) ? Buffer.from(plain, 'base64').toString('utf8') : ''
  return !fromBase64.includes('\ufffd') && hasEmailAddress(fromBase64)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const URL_PARTS = /^(\s*[a-z][a-z\d+.-]*:[/\\]{2,})([^/?#\\]*)([^?#]*)(\?[^#]*)?(#.*)?$/is
/** In characters. Longer addresses are cut before they're searched. */
const MAX_LENGTH = 4000
/** How many addresses inside each other's parameters are taken apart. */
const MAX_DEPTH = 3

/**
 * Hides the smallest parts of a URL that contain personal data: the user name, one part of the path, or the value of one parameter.
 * Never hides the scheme, the host, or the port. A user name without an address or password stays, because
 * `https://www.bank.example@evil.test/` uses it to deceive.
 */
export function redactUrl(full: string, namePattern?: RegExp, depth = 0): string {
  const address = full.slice(0, MAX_LENGTH)
  const match = URL_PARTS.exec(address)
  if (!match) return holdsPerson(address, namePattern) ? HIDDEN : address
  const [, scheme = '', authority = '', path = '', query = '', fragment = ''] = match
  const [user, host] = splitAuthority(authority)
  const isUserHidden = user !== undefined && (user.includes(':') || holdsPerson(user, namePattern))
  const shownUser = user === undefined ? '' : `${isUserHidden ? HIDDEN : user}@`
  const segments = path.split('/').map((segment) => redactSegment(segment, namePattern))
  const parameters = [query, fragment].map((text) => redactParameters(text, namePattern, depth))
  return [scheme, shownUser, host, segments.join('/'), ...parameters].join('')
}

function splitAuthority(authority: string): [user: string | undefined, host: string] {
  const at = authority.lastIndexOf('@')
  return at < 0 ? [undefined, authority] : [authority.slice(0, at), authority.slice(at + 1)]
}

/** Hides an email address in a part of a path, or all of the part if it contains one in another form. */
function redactSegment(segment: string, namePattern: RegExp | undefined): string {
  if (!holdsPerson(segment, namePattern)) return segment
  const shorter = segment.replace(EMAIL_ADDRESS, HIDDEN)
  return holdsPerson(shorter.replaceAll(HIDDEN, ''), namePattern) ? HIDDEN : shorter
}

/** A query or a fragment, with the `?` or `#` before it. */
function redactParameters(text: string, namePattern: RegExp | undefined, depth: number): string {
  const parts = text.slice(1).split(/([&;])/)
  const redacted = parts.map((part) => {
    const equals = part.indexOf('=')
    const name = part.slice(0, equals + 1)
    const shownName = holdsPerson(name, namePattern) ? `${HIDDEN}=` : name
    return shownName + redactValue(part.slice(equals + 1), namePattern, depth)
  })
  return text.slice(0, 1) + redacted.join('')
}

function redactValue(value: string, namePattern: RegExp | undefined, depth: number): string {
  if (!holdsPerson(value, namePattern)) return value
  const plain = decode(value)
  return depth < MAX_DEPTH && URL_PARTS.test(plain) ? redactUrl(plain, namePattern, depth + 1) : HIDDEN
}

const URL_IN_TEXT = /\bh(?:tt|xx)ps?:[/\\]{2}[^\s<>"']+/gi

/** Hides personal data in a text. `redactRest` is applied to everything between the URLs. */
export function redactText(
  text: string,
  namePattern?: RegExp,
  redactRest: (rest: string) => string = (rest) => rest,
): string {
  const redactBetween = (rest: string) => redactRest(hideEmailAddresses(rest))
  const parts: string[] = []
  let end = 0
  for (const { 0: address, index } of text.matchAll(URL_IN_TEXT)) {
    parts.push(redactBetween(text.slice(end, index)), redactUrl(address, namePattern))
    end = index + address.length
  }
  return [...parts, redactBetween(text.slice(end))].join('')
}

/**
 * The URL without the parts that contain personal data. It's still a URL, for files that leave the company and for health checks: with
 * the victim's address, they would visit the page as the victim.
 */
export function removePersonalParts(address: string, namePattern?: RegExp): string {
  const url = URL.parse(address)
  if (!url || redactUrl(address, namePattern) === address) return address
  if (url.password || holdsPerson(url.username, namePattern)) {
    url.username = ''
    url.password = ''
  }
  for (const [name, value] of [...url.searchParams])
    if (holdsPerson(value, namePattern) || holdsPerson(name, namePattern)) url.searchParams.delete(name)
  if (holdsPerson(url.hash.slice(1), namePattern)) url.hash = ''
  const segments = url.pathname.split('/')
  const firstHidden = segments.findIndex((segment) => holdsPerson(segment, namePattern))
  if (firstHidden >= 0) {
    // A path without a middle part would be another page, so it ends before that part.
    url.pathname = `${segments.slice(0, firstHidden).join('/')}/`
    url.search = ''
    url.hash = ''
  }
  return url.href
}
