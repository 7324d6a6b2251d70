import { auth, tasks } from './surehook.ts'

function find(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector)
  if (found === null) throw new Error(`The page has no ${selector}`)
  return found
}

const login = find('#login')
const section = find('#tasks')

/** Shows why something failed. */
function run(work: Promise<unknown>): void {
  const problem = find('[role=alert]')
  problem.textContent = ''
  work.catch((err: Error) => {
    problem.textContent = err.message
  })
}

let shown = new AbortController()

/** Follows the tasks of the user who is signed in now. */
async function show(): Promise<void> {
  shown.abort()
  shown = new AbortController()
  const { signal } = shown
  const user = await auth.currentUser()
  if (signal.aborted) return
  login.hidden = user !== null
  section.hidden = user === null
  find('h1').textContent = `Tasks of ${user?.email}`
  find('ul').replaceChildren()
  if (user === null) return
  try {
    for await (const list of tasks.watch({ order: 'createdAt' }, { signal })) {
      find('ul').replaceChildren(...list.map(itemOf))
    }
  } catch (err) {
    // Another user signed in, or nobody is.
    if (!signal.aborted) throw err
  }
}

function itemOf({ id, title, done }: { id: string; title: string; done: boolean }): HTMLElement {
  const [item, label, box] = [
    document.createElement('li'),
    document.createElement('label'),
    document.createElement('input'),
  ]
  box.type = 'checkbox'
  box.checked = done
  box.addEventListener('change', () => run(tasks.update(id, { done: box.checked })))
  label.append(box, title)
  item.append(label)
  return item
}

async function signIn(form: HTMLElement, isNew: boolean): Promise<void> {
  const [email = '', password = ''] = valuesOf(form)
  if (isNew) await auth.signup({ email, password })
  await auth.login({ email, password })
}

const valuesOf = (form: HTMLElement) =>
  [...form.querySelectorAll('input')].map(({ value }) => value)

login.addEventListener('submit', (event) => {
  event.preventDefault()
  run(signIn(login, event.submitter?.textContent === 'Sign up'))
})
find('#tasks form').addEventListener('submit', (event) => {
  event.preventDefault()
  const [title = ''] = valuesOf(find('#tasks form'))
  run(tasks.create({ title }))
  if (event.target instanceof HTMLFormElement) event.target.reset()
})
find('#logout').addEventListener('click', () => run(auth.logout()))

// Also when another tab signs in or out.
auth.onChange(({ type }) => {
  if (type !== 'refreshed') run(show())
})
run(show())
