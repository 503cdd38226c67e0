// Passkeys. A form with data-passkey shows itself where passkeys work. It fetches the options for the
// device, lets the device answer, and sends the answer like any other form.

const works = window.PublicKeyCredential?.parseRequestOptionsFromJSON;

class Refusal extends Error {}

// Why there is no answer of the device.
function reason(error) {
	if (error instanceof Refusal) return error.message;
	switch (error.name) {
	case "InvalidStateError": return "This device has a passkey for your account already.";
	case "NotAllowedError": return "The device did not confirm. Try again.";
	}
	return "That did not work. Reload the page and try again.";
}

// The device's answer to the options of a page, as JSON.
async function ask(kind, options) {
	const made = kind === "create"
		? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
		: await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
	return JSON.stringify(made.toJSON());
}

async function send(form) {
	const answer = await fetch(form.dataset.options, { method: "POST", body: new URLSearchParams(new FormData(form)) });
	const { options, problem: why } = await answer.json();
	if (why) throw new Refusal(why);
	form.elements.credential.value = await ask(form.dataset.passkey, options);
	for (const input of form.querySelectorAll("input[type=password]")) input.disabled = true; // it was checked already
	form.submit();
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
	if (!works || location.origin !== form.dataset.origin) continue;
	form.hidden = false;
	const problem = document.createElement("p"), button = form.querySelector("button[type=submit]");
	problem.className = "error";
	problem.setAttribute("role", "alert");
	button.closest(".actions").before(problem);
	form.addEventListener("submit", async (event) => {
		event.preventDefault();
		problem.textContent = "";
		button.disabled = true;
		try {
			await send(form);
		} catch (error) {
			problem.textContent = reason(error);
			button.disabled = false;
		}
	});
}
