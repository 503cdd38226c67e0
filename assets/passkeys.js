// Passkeys. A form with data-passkey is shown where passkeys work. It fetches the options for the
// device, lets the device answer, and sends the answer like any other form. A button with
// data-confirm around it lets the device confirm a form instead of the password.

const works = window.PublicKeyCredential?.parseRequestOptionsFromJSON;

class Refusal extends Error {}

// The reasons why the device gave no answer.
function reason(error) {
	if (error instanceof Refusal) return error.message;
	switch (error.name) {
	case "InvalidStateError": return "This device has a passkey for your account already.";
	case "NotAllowedError": return "The device did not confirm. Try again.";
	}
	return "That did not work. Reload the page and try again.";
}

// The options for the device, from an address.
async function options(address, fields) {
	const answer = await fetch(address, { method: "POST", body: new URLSearchParams(fields) });
	if (answer.headers.get("Content-Type")?.startsWith("application/json")) {
		const { options, problem } = await answer.json();
		if (problem) throw new Refusal(problem);
		return options;
	}
	if (answer.status === 429) throw new Refusal("Too many tries. Wait a minute and try again.");
	if (answer.redirected) throw new Refusal("Your session has ended. Reload the page and sign in.");
	throw new Error("no options");
}

// The device's answer to options, as JSON.
async function ask(kind, options) {
	const made = kind === "create"
		? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
		: await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
	return JSON.stringify(made.toJSON());
}

async function send(form) {
	form.elements.credential.value = await ask(form.dataset.passkey, await options(form.dataset.options, new FormData(form)));
	for (const input of form.querySelectorAll("input[type=password], input[autocomplete=one-time-code]")) input.disabled = true; // they were checked already
	form.submit();
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
	if (!works || location.origin !== form.dataset.origin) continue;
	form.hidden = false;
	const problem = document.createElement("p"), button = form.querySelector("button[type=submit]");
	let asking = false; // a disabled button would lose the focus
	problem.className = "error";
	problem.setAttribute("role", "alert");
	button.closest(".actions").before(problem);
	form.addEventListener("submit", async (event) => {
		event.preventDefault();
		if (asking) return;
		asking = true;
		problem.textContent = "";
		try {
			await send(form);
		} catch (error) {
			problem.textContent = reason(error);
			asking = false;
		}
	});
}

for (const offer of document.querySelectorAll("[data-confirm]")) {
	if (!works || location.origin !== offer.dataset.origin) continue;
	offer.hidden = false;
	const form = offer.closest("form"), button = offer.querySelector("button"), status = offer.querySelector("[role=status]");
	const secrets = form.querySelectorAll("input[autocomplete=current-password], input[autocomplete=one-time-code]");
	const proof = document.createElement("input");
	proof.type = "hidden";
	proof.name = "passkey-proof";
	const confirmed = (answer) => {
		if (answer) offer.after(proof); else proof.remove();
		proof.value = answer;
		button.hidden = answer !== "";
		for (const input of secrets) input.disabled = answer !== "";
		status.textContent = answer && "Your passkey confirms this form.";
	};
	let asking = false;
	status.tabIndex = -1;
	button.addEventListener("click", async () => {
		if (asking) return;
		asking = true;
		status.textContent = "";
		try {
			const to = new URL(form.dataset.options ?? form.getAttribute("action"), location);
			confirmed(await ask("get", await options(offer.dataset.confirm, { for: to.pathname, owner: form.elements.owner?.value ?? "" })));
			status.focus(); // the button is gone
		} catch (error) {
			status.textContent = reason(error);
		}
		asking = false;
	});
	form.addEventListener("submit", () => { setTimeout(confirmed, 0, ""); }); // once it is sent: an answer confirms once
}
