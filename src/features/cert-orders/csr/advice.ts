/** What a request asks for, as far as it could be read: advice is about the person's own names. */
export interface Asked {
  subject: string
  names: readonly string[]
}

/** More would not fit beside a field. */
const MOST_NAMES = 8
/** A common name has at most as many characters (X.520). */
const LONGEST_COMMON_NAME = 64
/** Stands where no name could be read. */
const EXAMPLE = 'www.example.com'

const KEYS = {
  rsa: '-newkey rsa:2048 -nodes -keyout new.key',
  ec: '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout new.key',
  kept: '-sha256 -key your.key',
}

/** A sentence with the command that makes a new key and a request for the same names. */
export const newKey = (asked: Asked | undefined, key: 'rsa' | 'ec'): string =>
  `Make a new one: ${command(asked, key)}`

/** The command that makes a new request with the existing key. */
export const newRequest = (asked: Asked | undefined): string => command(asked, 'kept')

/** Every command can be pasted into a shell as it stands. */
function command(asked: Asked | undefined, key: keyof typeof KEYS): string {
  const all = [...new Set(asked?.names)]
  const known = all.map(inCommand).filter((name) => name !== undefined)
  const hosts = known.filter((name) => name.startsWith('DNS:')).map((name) => name.slice(4))
  const common = commonName(asked?.subject ?? '', hosts)
  const subject = known.length > 0 && common === undefined ? '/' : `/CN=${common ?? EXAMPLE}`
  const isLong = known.length > MOST_NAMES
  const named = isLong ? known.slice(0, MOST_NAMES) : known.length > 0 ? known : [`DNS:${common ?? EXAMPLE}`]
  const odd = all.length - known.length
  const names = isLong && odd === 0 ? FROM_THE_FILE : `'subjectAltName=${named.join(',')}'`
  const made = `openssl req -new ${KEYS[key]} -out new.csr -subj '${subject}' -addext ${names}`
  if (names === FROM_THE_FILE) return `${made} (your.csr is the file of this request)`
  const left = all.length - named.length
  if (known.length > 0) return left > 0 ? `${made} (left out: ${left} of its names)` : made
  return common === undefined ? `${made} (with your own names)` : made
}

/** Too many to be typed: openssl takes them out of the request. */
const FROM_THE_FILE = `"subjectAltName=$(openssl req -in your.csr -noout -text | grep -A1 'Subject Alternative Name' | tail -1 | sed 's/IP Address:/IP:/g; s/ //g')"`

/** `DNS:shop.example.com`, for names that mean nothing to a shell nor to openssl's own syntax. */
function inCommand(name: string): string | undefined {
  const [, kind = '', value = ''] = /^(DNS|IP|e-mail|URL) ([A-Za-z0-9.*_@:/-]+)$/.exec(name) ?? []
  if (kind === 'DNS' && !/[@:/]/.test(value)) return `DNS:${value}`
  if (kind === 'IP' && !/[@/]/.test(value)) return `IP:${value}`
  if (kind === 'URL') return `URI:${value}`
  return kind === 'e-mail' && !/[:/*]/.test(value) ? `email:${value}` : undefined
}

function commonName(subject: string, hosts: readonly string[]): string | undefined {
  const own = /(?:^|, )CN=([A-Za-z0-9.*_ -]+)(?=,|$)/.exec(subject)?.[1]
  return [own, ...hosts].find((name) => name !== undefined && name.length <= LONGEST_COMMON_NAME)
}
