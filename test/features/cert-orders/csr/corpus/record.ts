import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHandmadeRequests } from './handmade-requests.ts'
import { DEFAULT_KEY, RECIPES, type Recipe } from './openssl-recipes.ts'

/** A request with the output of `openssl req -text -verify`, without the lines that are only hexadecimal bytes. */
export interface RecordedRequest {
  name: string
  /** DER, base64. */
  request: string
  verifies: boolean
  text: string
}

const NAME_OPTIONS = 'utf8,esc_2253,esc_ctrl,sep_comma_plus,sname,dump_nostr,dump_unknown,dump_der'

function openssl(args: readonly string[], input?: Buffer) {
  const { stdout, stderr } = spawnSync('openssl', args, { ...(input && { input }) })
  return { stdout, stderr: stderr.toString() }
}

function buildConfig({ subject = ['CN=shop.bank.com'], extensions = [], attributes = [] }: Recipe): string {
  return [
    '[req]',
    'prompt=no',
    'utf8=yes',
    'string_mask=utf8only',
    'distinguished_name=dn',
    ...(extensions.length > 0 ? ['req_extensions=ext'] : []),
    ...(attributes.length > 0 ? ['attributes=at'] : []),
    '[dn]',
    ...subject,
    '[at]',
    ...attributes,
    '[ext]',
    ...extensions,
    '',
  ].join('\n')
}

function createRequest(folder: string, recipe: Recipe): Buffer {
  const config = join(folder, 'req.cnf')
  writeFileSync(config, buildConfig(recipe))
  const key = ['-newkey', ...(recipe.key ?? DEFAULT_KEY), '-nodes', '-keyout', join(folder, 'key.pem')]
  const { stdout, stderr } = openssl([
    'req',
    '-new',
    '-config',
    config,
    ...key,
    ...(recipe.sign ?? []),
    '-outform',
    'DER',
  ])
  if (stdout.length === 0) throw new Error(`${recipe.name}: ${stderr}`)
  return stdout
}

function recordRequest(name: string, der: Buffer): RecordedRequest {
  const args = ['req', '-inform', 'DER', '-noout', '-text', '-verify', '-nameopt', NAME_OPTIONS]
  const { stdout, stderr } = openssl(args, der)
  const text = stdout
    .toString()
    .split('\n')
    .filter((line) => !/^\s+(?:[0-9a-f]{2}:)*[0-9a-f]{2}:?$/.test(line))
    .join('\n')
  return {
    name,
    request: der.toString('base64'),
    verifies: /verify OK/i.test(stdout.toString() + stderr),
    text,
  }
}

/** Recreates the corpus: `node test/features/cert-orders/csr/corpus/record.ts`. The keys are discarded. */
function record(): RecordedRequest[] {
  const folder = mkdtempSync(join(tmpdir(), 'corpus-'))
  try {
    const requests = RECIPES.map((recipe) => ({ name: recipe.name, der: createRequest(folder, recipe) }))
    return [...requests, ...createHandmadeRequests()].map(({ name, der }) => recordRequest(name, der))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const FILE = join(import.meta.dirname, 'corpus.jsonl')

export const readCorpus = (): RecordedRequest[] =>
  readFileSync(FILE, 'utf8')
    .trimEnd()
    .split('\n')
    // Cast, because only `record` writes this file.
    .map((line) => JSON.parse(line) as RecordedRequest)

if (import.meta.main)
  writeFileSync(
    FILE,
    record()
      .map((recorded) => `${JSON.stringify(recorded)}\n`)
      .join(''),
  )
