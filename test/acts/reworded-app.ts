// Runs the app with audit rows that name their objects otherwise than those of any other process do, as after an update.
import { registerHooks } from 'node:module'

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.includes('/src/features/')) return loaded
    const { source = '' } = loaded
    const code = typeof source === 'string' ? source : new TextDecoder().decode(source)
    const reworded = code.replaceAll(/\bobject: (?!string)/g, `$&'reworded by ${process.pid}: ' + `)
    return { ...loaded, source: reworded }
  },
})

await import('./app-child.ts')
