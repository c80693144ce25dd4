import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const P256 = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

const CA_SETTINGS = `[ca]
default_ca = settings
[settings]
database = index.txt
serial = serial.txt
new_certs_dir = .
default_md = sha256
policy = names
[names]
commonName = supplied
`

/** `20261126073000Z`. */
const toOpensslDate = (at: Date): string => `${at.toISOString().slice(0, 19).replace(/[-T:]/g, '')}Z`

/** A certificate authority in a temporary folder, made with openssl. Dispose of it to delete the folder. */
export function createAuthority() {
  const folder = mkdtempSync(join(tmpdir(), 'authority-'))
  const openssl = (...args: string[]): Buffer =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  openssl(
    ...['req', '-x509', ...P256, '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '3650'],
    ...['-subj', '/O=Test CA/CN=Test Root'],
  )
  const read = (name: string): Buffer => readFileSync(join(folder, name))

  return {
    openssl,
    read,
    text: (name: string): string => read(name).toString(),
    /** Makes a key with its request and certificate: `name.key`, `.csr`, `.pem`, and `.der`. */
    issue(
      name: string,
      names: string,
      { key = P256, days = 90 }: { key?: string[]; days?: number } = {},
    ): void {
      const subject = `/CN=${names.split(',')[0]?.replace(/^\w+:/, '')}`
      openssl(
        ...['req', '-new', ...key, '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`],
        ...['-subj', subject, '-addext', `subjectAltName=${names}`],
      )
      this.sign(name, names, days)
    },
    /** Signs a request that is already there. */
    sign(name: string, names: string, days = 90): void {
      writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${names}\nbasicConstraints=CA:FALSE\n`)
      openssl(
        ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
        ...['-days', String(days), '-extfile', `${name}.ext`, '-out', `${name}.pem`],
      )
      openssl('x509', '-in', `${name}.pem`, '-outform', 'DER', '-out', `${name}.der`)
    },
    /** Signs a request that was issued before, with other dates. */
    signBetween(name: string, from: Date, to: Date): void {
      writeFileSync(join(folder, 'index.txt'), '')
      writeFileSync(join(folder, 'ca.cnf'), CA_SETTINGS)
      openssl(
        ...['ca', '-batch', '-notext', '-rand_serial', '-config', 'ca.cnf', '-cert', 'ca.pem'],
        ...['-keyfile', 'ca.key', '-in', `${name}.csr`, '-extfile', `${name}.ext`, '-out', `${name}.pem`],
        ...['-startdate', toOpensslDate(from), '-enddate', toOpensslDate(to)],
      )
    },
    write: (name: string, content: string): void => writeFileSync(join(folder, name), content),
    [Symbol.dispose]: (): void => rmSync(folder, { recursive: true, force: true }),
  }
}
