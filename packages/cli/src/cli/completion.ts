import { type AnyCommand, defineCommand, exitCodes, UsageError } from './command.ts'
import { commonOptions } from './read-call.ts'

/** Shells call `surehook __complete <words…>`. The last word is the one being typed. */
export const completeWord = '__complete'

const scripts: Readonly<Record<string, string>> = {
  bash: `_surehook() {
  local IFS=$'\n'
  COMPREPLY=($(surehook ${completeWord} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _surehook surehook`,
  zsh: `#compdef surehook
_surehook() {
  local -a candidates
  candidates=("\${(@f)$(surehook ${completeWord} "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)}")
  (( \${#candidates[1]} )) && compadd -- "\${candidates[@]}" || _files
}
compdef _surehook surehook`,
  fish: `complete -c surehook -f -a '(surehook ${completeWord} (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
}

export const completionCommand = defineCommand({
  name: 'completion',
  summary: 'Print the completion script of a shell',
  details: [
    'bash: add `source <(surehook completion bash)` to ~/.bashrc',
    'zsh:  add `source <(surehook completion zsh)` to ~/.zshrc, after compinit',
    'fish: surehook completion fish > ~/.config/fish/completions/surehook.fish',
  ].join('\n'),
  audience: 'developers',
  printsDocument: true,
  options: {},
  positionals: ['shell'],
  async run({ words, json, out }) {
    const script = scripts[words['shell'] ?? '']
    if (script === undefined) throw new UsageError('<shell> is one of bash, zsh, fish')
    out(json ? JSON.stringify({ script }, null, 2) : script)
    return exitCodes.ok
  },
})

/**
 * Returns the completions of the last of `words`: the next word of a command's name, an option of
 * the command that the words before it name, or a value of the option right before it.
 */
export function candidates(commands: readonly AnyCommand[], words: readonly string[]): string[] {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const command = commandOf(commands, before)
  const choices = command?.options[before.at(-1)?.replace(/^--/, '') ?? '']?.choices
  const found =
    choices ?? (typed.startsWith('-') ? optionsOf(command, before) : nextWords(commands, before))
  return [...new Set(found)].filter((word) => word.startsWith(typed)).toSorted()
}

function nextWords(commands: readonly AnyCommand[], before: readonly string[]): string[] {
  const prefix = before.map((word) => `${word} `).join('')
  return commands
    .filter(({ name }) => name.startsWith(prefix))
    .flatMap(({ name }) => name.slice(prefix.length).split(' ', 1))
}

/** The command that the words name. Options and arguments may follow. */
function commandOf(commands: readonly AnyCommand[], before: readonly string[]) {
  const named = before.filter((word) => !word.startsWith('-')).join(' ')
  return commands
    .filter(({ name }) => `${named} `.startsWith(`${name} `))
    .toSorted((a, b) => b.name.length - a.name.length)[0]
}

function optionsOf(command: AnyCommand | undefined, before: readonly string[]): string[] {
  if (before.length === 0) return ['--help', '--version']
  const options = { ...command?.options, ...commonOptions }
  return Object.keys(options).map((name) => `--${name}`)
}
