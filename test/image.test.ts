import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { makeInstallation } from './installation.ts'
import { run } from './process.ts'
import { textOf } from './source-files.ts'

/** Where Debian has chroot. */
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'
const execute = promisify(execFile)

it('the image holds the program, the node binary and its libraries, and the program runs there by itself', async () => {
  await using installation = await makeInstallation()
  const { root, signalman } = installation
  await using making = run(signalman, { args: ['--help'] })
  expect(await making.ended).toBe(0)
  const folder = join(root, 'image')
  await execute('sh', [join(root, 'bin/image.sh'), process.execPath, folder], { cwd: root })
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  )
  const names = files.map(({ name, parentPath }) => join(parentPath, name).slice(folder.length))
  const others = names.filter((name) => !/^\/(app|etc)\/|^\/(usr\/)?lib(64|32)?\/.*\.so[.\d]*$/.test(name))
  expect(others.toSorted()).toEqual(['/usr/local/bin/node', '/usr/local/bin/signalman'])
  expect(names).toEqual(expect.arrayContaining(['/app/LICENSE', '/app/dist/THIRD-PARTY-NOTICES.txt']))
  expect(names.join()).not.toMatch(/npm|node_modules|\/src\//)
  // Only root may change what the root folder is; anybody else has looked at what is there.
  if (process.getuid?.() !== 0) return
  const asOther = ['--userspec=1000:1000', folder, '/usr/local/bin/signalman']
  const { stdout } = await execute('chroot', [...asOther, 'manifest', '--socket'], { env: { PATH } })
  expect(JSON.parse(stdout).settings.socket_mode_enabled).toBe(true)
  await expect(execute('chroot', [...asOther, 'health'], { env: { PATH, PORT: '9' } })).rejects.toMatchObject(
    {
      code: 1,
    },
  )
})

it('the image is made from a base that is pinned, runs as nobody special, and asks the program for its health', () => {
  const image = textOf('Dockerfile')
  const bases = [...image.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
  expect(bases).toEqual([expect.stringMatching(/^node:24-slim@sha256:[0-9a-f]{64}$/), 'scratch'])
  expect(image).toMatch(/^USER 1000:1000$/m)
  expect(image).toMatch(/HEALTHCHECK .* CMD \["signalman", "health"\]/)
  expect(image).toContain('org.opencontainers.image.version')
})

it.each(['compose.yaml', 'docs/replicas/compose.yaml'])(
  '%s limits what runs, and keeps the keys out of the volume',
  (file) => {
    const text = textOf(file)
    for (const line of [
      'read_only: true',
      'mem_limit:',
      'pids_limit:',
      'cap_drop:',
      'no-new-privileges:true',
    ])
      expect(text).toContain(line)
    // Longer than the app takes to stop: 3 s of lame duck, 10 s for what runs, 2 s for last words.
    expect(Number(/stop_grace_period: (\d+)s/.exec(text)?.[1])).toBeGreaterThan(15)
    // One source of them has to be named.
    expect(text).toMatch(/\$\{ENCRYPTION_KEYS:\?put it into \.env/)
  },
)

it('docs/kubernetes/signalman.yaml limits what runs, keeps the keys out of the volume, and leaves time to stop', () => {
  const [volume, deployment] = parseAllDocuments(textOf('docs/kubernetes/signalman.yaml')).map((one) =>
    one.toJS(),
  )
  const { spec, metadata } = deployment
  const pod = spec.template.spec
  const [app] = pod.containers
  expect(volume.metadata.name).toBe(pod.volumes[0].persistentVolumeClaim.claimName)
  expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels)
  expect(metadata.name).toBe('signalman')
  // Two processes on different nodes cannot share a SQLite file.
  expect([spec.replicas, spec.strategy.type]).toEqual([1, 'Recreate'])
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(15)
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
  expect(app.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
  expect([app.livenessProbe.httpGet.path, app.readinessProbe.httpGet.path]).toEqual(['/healthz', '/readyz'])
  const keysFile = app.env.find(({ name }: { name: string }) => name === 'ENCRYPTION_KEYS_FILE').value
  const mounts = new Map(
    app.volumeMounts.map((one: { name: string; mountPath: string }) => [one.name, one.mountPath]),
  )
  expect(keysFile.startsWith(`${mounts.get('keys')}/`)).toBe(true)
  expect(mounts.get('data')).toBe('/data')
})
