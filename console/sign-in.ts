// User and password, asked for only when the server wants to know who asks.

import { found } from './elements.ts';
import type { MusterClient } from './muster-client.ts';

export class SignIn {
  readonly #form = found('sign-in', HTMLFormElement);
  readonly #user = found('user', HTMLInputElement);
  readonly #password = found('password', HTMLInputElement);
  readonly #problem = found('sign-in-problem', HTMLElement);
  readonly #out = found('sign-out', HTMLButtonElement);
  readonly #client: MusterClient;

  /** `onDone`: another try may go through now. */
  constructor(client: MusterClient, onDone: () => void) {
    this.#client = client;
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      client.signIn({ user: this.#user.value, password: this.#password.value });
      this.#form.hidden = true;
      this.showUser();
      onDone();
    });
    this.#out.addEventListener('click', () => {
      client.signIn(undefined);
      this.showUser();
      this.ask('Signed out.');
    });
    this.showUser();
  }

  ask(why: string): void {
    this.#problem.textContent = why;
    this.#user.value = this.#client.user ?? this.#user.value;
    this.#password.value = '';
    this.#form.hidden = false;
    (this.#user.value === '' ? this.#user : this.#password).focus();
  }

  showUser(): void {
    const { user } = this.#client;
    this.#out.hidden = user === undefined;
    this.#out.textContent = `Sign out ${user ?? ''}`;
  }
}
