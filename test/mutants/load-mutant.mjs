// Changes one source file as it is loaded, so that no file on the disk changes. `MUTANT` is JSON: the file's URL, and what to replace.
import * as modules from 'node:module'

const { url, start, end, replacement } = JSON.parse(process.env.MUTANT)

// Some tests run programs with an older Node, which has no hooks.
modules.registerHooks?.({
  load(loadedUrl, context, nextLoad) {
    const loaded = nextLoad(loadedUrl, context)
    if (loadedUrl.split('?', 1)[0] !== url) return loaded
    const code = String(typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source))
    return { ...loaded, source: code.slice(0, start) + replacement + code.slice(end) }
  },
})
